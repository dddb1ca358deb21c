// What irq_lock() does is not known: no race is reported that it may exclude.
// EXPECT: unknown x
void irq_lock(void);
void irq_unlock(void);
int x;

__attribute__((signal)) void __vector_5(void)
{
    x++;
}

int main(void)
{
    __asm__ volatile("sei");
    for (;;) {
        irq_lock();
        x++;
        irq_unlock();
    }
}
