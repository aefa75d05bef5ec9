/* SPDX-License-Identifier: Apache-2.0 */

/* Lets C++ include the C headers of the plugin: the gRPC seam and the tests
 * are C++. std::atomic and _Atomic both have the size and alignment of the
 * plain type, which is checked here in both languages. */
#ifndef RG_CORE_CXX_H
#define RG_CORE_CXX_H

#ifdef __cplusplus
#include <atomic>
#define RG_ATOMIC(type) std::atomic<type>
#define RG_ALIGNAS(bytes) alignas(bytes)
#define RG_C_BEGIN extern "C" {
#define RG_C_END }
static_assert(sizeof(std::atomic<unsigned long>) == sizeof(unsigned long) &&
                  alignof(std::atomic<unsigned long>) == alignof(unsigned long),
              "atomics have the layout of their type");
#else
#include <stdatomic.h>
#define RG_ATOMIC(type) _Atomic(type)
#define RG_ALIGNAS(bytes) _Alignas(bytes)
#define RG_C_BEGIN
#define RG_C_END
_Static_assert(sizeof(_Atomic(unsigned long)) == sizeof(unsigned long) &&
                   _Alignof(_Atomic(unsigned long)) == _Alignof(unsigned long),
               "atomics have the layout of their type");
#endif

/* For what happens with few calls or attempts: out of the way of what happens
 * with all of them, which otherwise would have to save registers for it. */
#define RG_SELDOM __attribute__((noinline))

/* For the few bytes that each thread has: their place is fixed when the library
 * is loaded, so that finding them takes no call of the dynamic linker. */
#define RG_TLS_FAST __attribute__((tls_model("initial-exec")))

#endif
