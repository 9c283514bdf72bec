#include "counter.h"

int hits;

void hit(void) { ++hits; }
