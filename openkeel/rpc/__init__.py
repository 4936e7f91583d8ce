"""Nova's wire: who sends what to whom, in which form. Errors, objects and contexts cross it here only."""
