// A static, a parameter, a local and an array of one name in one function.
unsigned long checksum;

unsigned long f(int v)
{
    {
        static unsigned v = 5;
        v++;
        checksum += v;
    }
    {
        long v = 1;
        v++;
        {
            int v[2] = { 4, 5 };
            v[0]++;
            checksum += v[0];
        }
        checksum += v;
    }
    return v;
}

unsigned long g(void)
{
    static unsigned char v = 84;
    {
        long v = 15;
        checksum += v;
    }
    return v++;
}

int main(void)
{
    checksum = f(9) * 1000 + f(7) * 100 + checksum;
    checksum = checksum * 1000 + g() * 100 + g();
    return 0;
}
