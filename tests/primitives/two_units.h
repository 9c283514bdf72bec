#pragma once
#include <mutex>

inline thread_local int deposits_of_this_thread = 0;

class Account {
 public:
  void add(int amount) {
    const std::lock_guard lock(mutex_);
    balance_ += amount;
    ++deposits_of_this_thread;
  }
  int balance() const {
    const std::lock_guard lock(mutex_);
    return balance_;
  }

 private:
  mutable std::mutex mutex_;
  int balance_ = 0;
};

void deposit(Account& account, int amount);
