// Of a program with main, code that is not here calls one function: the callback of a library, say.
// CIRC: --entry on_message
// EXPECT: race messages
// EXPECT: safe settings
#include <pthread.h>

static int messages;
static int settings;

void on_message(const char *text, unsigned long length)
{
    if (length > 0 && text[0] != '#')
        messages++;
}

void reload(void)
{
    settings++;
}

int main(void)
{
    reload();
    return messages;
}
