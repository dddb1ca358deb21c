// Whoever reads from a pipe waits for what the other one writes, in bytes or in lines.
// EXPECT: unknown handed
// EXPECT: unknown in_lines
// EXPECT: race free_for_all
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

int ends[2], text[2], handed, in_lines, free_for_all;

static void *receiver(void *arg)
{
    char byte, line[16];
    FILE *lines;

    free_for_all++;
    if (read(ends[0], &byte, 1) == 1)
        handed++;
    lines = fdopen(text[0], "r");
    if (lines && fgets(line, sizeof line, lines))
        in_lines++;
    return arg;
}

int main(void)
{
    pthread_t other;

    if (pipe(ends) || pipe(text))
        return 1;
    pthread_create(&other, 0, receiver, 0);
    free_for_all++;
    handed++;
    in_lines++;
    write(ends[1], "x", 1);
    write(text[1], "x\n", 2);
    pthread_join(other, 0);
    return 0;
}
