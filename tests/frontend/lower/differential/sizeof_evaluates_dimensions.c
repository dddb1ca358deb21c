// sizeof of a type of variable length evaluates the dimensions, of any other type nothing.
unsigned long checksum;

int main(void)
{
    int n = 3, k = 5;

    (void)sizeof(int[n++]);
    (void)sizeof(char[2][--k]);
    (void)sizeof(int[4]);
    (void)sizeof(n++);
    checksum = n * 100 + k;
    return 0;
}
