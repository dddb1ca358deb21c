"""TODO frontend.interrupts.interrupt_calls."""
