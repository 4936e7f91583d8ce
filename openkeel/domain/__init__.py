"""Pure knowledge: errors, states, rules, names."""
