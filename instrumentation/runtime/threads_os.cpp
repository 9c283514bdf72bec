// Each logical thread on its own OS thread; a baton, handed over by futex, says who runs.
#include "instrumentation/runtime/system.h"
#include "instrumentation/runtime/threads.h"

namespace weavefuzz::runtime {

namespace {

class OsSwitcher final : public Switcher {
 public:
  void prepare(Identity&) override {}  // the parked thread enters by itself when it gets the baton
  void pass(Identity& from, Identity& to) override {
    set_and_wake(to.baton);
    wait_until_set(from.baton);
    __atomic_store_n(&from.baton, 0U, __ATOMIC_RELAXED);
  }
  void leave(Identity&, Identity& to) override { set_and_wake(to.baton); }
};

constinit OsSwitcher switcher;

}  // namespace

Switcher& os_switcher() { return switcher; }

}  // namespace weavefuzz::runtime
