"""Policy files written for Nova, and what Nova 34 answers with them."""
