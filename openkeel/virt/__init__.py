"""What a hypervisor must offer, and those who offer it."""
