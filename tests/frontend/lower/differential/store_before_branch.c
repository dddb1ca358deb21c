// A store through a pointer decides a branch, behind which the pointer is used again.
unsigned long checksum;

long long f(void)
{
    long long v = -4;
    long long *q = &v;
    *q = 0;
    if (v << 1) {
    } else {
        v = 1;
        checksum += 1 >> (q[0] & 7);
        checksum += *q;
    }
    return 0;
}

int main(void)
{
    checksum = 3;
    int n = 2;
    while (n-- > 0 && f()) {
    }
    checksum = checksum * 10 + 7;
    return 0;
}
