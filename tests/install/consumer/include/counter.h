#pragma once

#ifdef __cplusplus
extern "C" {
#endif

extern int hits;
void hit(void);

#ifdef __cplusplus
}
#endif
