#include "fuzzer/engine/report.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "fuzzer/report/table.h"

namespace weavefuzz::engine {

namespace {

using runtime::Activity;
using runtime::RawEvent;
using runtime::ThreadView;

const char* text_at(const weavefuzz_site* site, std::int32_t offset) {
  return offset == 0 ? nullptr : reinterpret_cast<const char*>(site) + offset;
}

bool names_a_thread(const RawEvent& event) {
  switch (event.kind) {
    case EventKind::kSpawn:
    case EventKind::kStart:
    case EventKind::kExit:
    case EventKind::kJoin:
    case EventKind::kDetach:
    case EventKind::kSendSignal: return true;
    case EventKind::kTimedOut: return event.address != 0 && event.address < runtime::thread_count();  // a join
    default: return false;
  }
}

std::string thread_name(ThreadId thread) {
  return thread == ThreadId{} ? "main" : "thread " + std::to_string(thread.value);
}

// Names for the objects of a run: that of the global variable, or that under which the program wrote to
// the same memory (when it made the object), else a number.
class ObjectNames {
 public:
  ObjectNames() {
    for (const RawEvent& event : runtime::events())
      if (event.site != nullptr && traits(event.kind).writes)
        if (const char* variable = text_at(event.site, event.site->variable))
          if (!std::string_view(variable).starts_with("std::")) written_as_.try_emplace(event.address, variable);
  }

  std::string name(std::uintptr_t address) {
    const auto [entry, is_new] = names_.try_emplace(address);
    if (char text[64]; is_new && runtime::descriptor_name(address, text)) {
      entry->second = text;
    } else if (is_new) {
      entry->second = global_name(address);
      if (const auto written = written_as_.find(address); entry->second.empty() && written != written_as_.end())
        entry->second = written->second;
      if (entry->second.empty()) entry->second = "#" + std::to_string(++unnamed_);
    }
    return entry->second;
  }

 private:
  std::map<std::uintptr_t, std::string> names_;
  std::map<std::uintptr_t, std::string> written_as_;
  int unnamed_ = 0;
};

Frame frame_of_event(std::size_t index, const RawEvent& event) {
  Frame frame;
  const bool has_own_line = event.site != nullptr && (event.site->flags & WEAVEFUZZ_SITE_SYSTEM_HEADER) == 0;
  if (!has_own_line) {
    if (const runtime::Stack* stack = runtime::stack_of_event(index)) {
      const std::vector<Frame> frames = frames_of(*stack);
      if (const Frame* own = first_own_frame(frames)) return *own;
      if (!frames.empty()) frame = frames.front();
    }
  }
  if (event.site != nullptr) {
    if (const char* file = text_at(event.site, event.site->file)) frame.file = file;
    if (const char* function = text_at(event.site, event.site->function)) frame.function = function;
    frame.line = event.site->line;
  }
  return frame;
}

std::string describe(const RawEvent& event, const TraceEvent& numbered, ObjectNames& names) {
  std::string text{traits(event.kind).text};
  if (names_a_thread(event)) {
    const bool itself = event.kind == EventKind::kStart || event.kind == EventKind::kExit;
    return itself ? text : text + " " + thread_name(ThreadId{static_cast<std::uint32_t>(event.address)});
  }
  if (event.address == 0) return text;
  if (traits(event.kind).event_class == EventClass::kSync) return text + " " + names.name(event.address);
  const char* variable = event.site == nullptr ? nullptr : text_at(event.site, event.site->variable);
  return text + " " +
         (variable != nullptr ? std::string{variable} : "memory #" + std::to_string(numbered.variable.value));
}

// How std::thread hands its function over is of no interest to anybody.
bool is_thread_start_up(const RawEvent& event) {
  const char* variable = event.site == nullptr ? nullptr : text_at(event.site, event.site->variable);
  return variable != nullptr && std::string_view(variable).starts_with("std::thread::");
}

// The table of what matters: synchronization, accesses to what more than one thread touched, and the last
// thing that each thread did. Only the last `most` are looked up.
std::string render_interleaving(const Trace& trace, ObjectNames& names, std::size_t most) {
  const auto events = runtime::events();
  std::unordered_map<std::uint32_t, ThreadId> first_user;  // by variable
  std::unordered_set<std::uint32_t> shared;
  std::unordered_set<std::uint32_t> start_up;
  for (const TraceEvent& event : trace) {
    if (first_user.try_emplace(event.variable.value, event.thread).first->second != event.thread)
      shared.insert(event.variable.value);
    if (is_thread_start_up(events[event.source])) start_up.insert(event.variable.value);
  }
  std::unordered_map<std::uint32_t, std::size_t> last_of;  // by thread
  for (std::size_t i = 0; i < trace.size(); ++i) last_of[trace[i].thread.value] = i;
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const std::uint32_t variable = trace[i].variable.value;
    const bool memory = traits(trace[i].kind).event_class == EventClass::kMemory && variable != 0;
    const bool matters = !memory || (shared.contains(variable) && !start_up.contains(variable));
    if (matters || last_of[trace[i].thread.value] == i) shown.push_back(i);
  }
  const std::size_t hidden = trace.size() - shown.size();
  const std::size_t earlier = shown.size() > most ? shown.size() - most : 0;
  std::vector<TableRow> rows;
  for (std::size_t i = earlier; i < shown.size(); ++i) {
    const TraceEvent& event = trace[shown[i]];
    const RawEvent& raw = events[event.source];
    const Frame frame = frame_of_event(event.source, raw);
    rows.push_back({shown[i] + 1, event.thread, describe(raw, event, names), frame.line == 0 ? "" : frame.place()});
  }
  std::string text = render_table(rows, earlier);
  if (hidden > 0) text += "  (" + std::to_string(hidden) + " accesses to memory that only one thread uses not shown)\n";
  return text;
}

std::string render_frames(const std::vector<Frame>& frames) {
  std::string text;
  int number = 0;
  for (const Frame& frame : frames) {
    text += "      #" + std::to_string(number++) + " " + frame.function;
    if (!frame.file.empty()) text += "  " + frame.file + ":" + std::to_string(frame.line);
    text += '\n';
  }
  return text;
}

std::string place_of(const std::vector<Frame>& frames) {
  if (const Frame* own = first_own_frame(frames)) return own->place() + " in " + own->function;
  return frames.empty() ? "?" : frames.front().place();
}

std::string function_of(const std::vector<Frame>& frames) {
  if (const Frame* own = first_own_frame(frames)) return own->function;
  return frames.empty() ? "?" : frames.front().function;
}

struct Waiting {
  ThreadView view;
  std::vector<Frame> frames;
};

const char* what_for(EventKind op) {
  switch (op) {
    case EventKind::kReceive: return "receive from ";
    case EventKind::kSend: return "send to ";
    case EventKind::kAccept: return "accept a connection at ";
    case EventKind::kConnect: return "be let into the queue of ";
    case EventKind::kFileLock: return "lock one of the ";
    default: return "find something ready, first of all ";
  }
}

std::string what_it_does(const ThreadView& view, ObjectNames& names) {
  if (view.activity == Activity::kFinished) return "has ended";
  if (view.activity == Activity::kRunning) return "runs";
  if (view.activity == Activity::kReady) return "could run";
  if (view.activity == Activity::kSpinning) return "spins: nothing that it looks at changes";
  if (view.op == EventKind::kReturn) return "has returned from the harness and waits for the others";
  if (view.op == EventKind::kSleep) return "sleeps";
  if (view.waits_for_notify) {
    const bool is_futex = view.op == EventKind::kFutexWoken;
    std::string text = (is_futex ? "waits to be woken at futex " : "waits for a notification of condition variable ") +
                       names.name(view.object);
    if (view.missed_notifications > 0)
      text +=
          ", which was notified " + std::to_string(view.missed_notifications) + " time(s) before, when nobody waited";
    return text;
  }
  if (view.op == EventKind::kJoin) return "waits for " + thread_name(view.holder) + " to end";
  if (is_about_descriptors(view.op)) return std::string("waits to ") + what_for(view.op) + names.name(view.object);
  std::string text = "waits for " + std::string(view.noun) + " " + names.name(view.object);
  if (view.holder_waits) return text + ", behind " + thread_name(view.holder) + ", which waits to write";
  if (view.missing > 0) return text + ", until " + std::to_string(view.missing) + " more thread(s) come";
  if (!view.has_holder) return text;
  std::string holders;
  for (std::size_t i = 0; i < runtime::held_lock_count(); ++i) {
    const runtime::HeldLock lock = runtime::held_lock(i);
    if (lock.object == view.object) holders += (holders.empty() ? "" : ", ") + thread_name(lock.holder);
  }
  return text + ", held by " + holders;
}

// What a thread did over and over before the run was stopped, each thing once.
std::string render_circle(const Trace& trace, ThreadId thread, ObjectNames& names) {
  constexpr std::size_t kLookBack = 64;  // events of the thread
  constexpr std::size_t kMost = 12;      // things to say
  std::vector<std::string> things;
  std::size_t seen = 0;
  for (std::size_t i = trace.size(); i-- > 0 && seen < kLookBack && things.size() < kMost;) {
    if (trace[i].thread != thread) continue;
    ++seen;
    const RawEvent& raw = runtime::events()[trace[i].source];
    const Frame frame = frame_of_event(trace[i].source, raw);
    std::string thing = describe(raw, trace[i], names) + (frame.line == 0 ? "" : "  " + frame.place());
    if (raw.futile) thing += "  (in vain)";
    if (std::ranges::find(things, thing) == things.end()) things.push_back(std::move(thing));
  }
  std::ranges::reverse(things);
  std::string text = "    goes round:\n";
  for (const std::string& thing : things) text += "      " + thing + '\n';
  return text;
}

// Who waits for whom, what each holds, and where each stands; with `trace`, what each that could run did last.
std::string render_threads(const std::vector<Waiting>& threads, ObjectNames& names, const Trace* trace) {
  std::string text;
  for (const Waiting& thread : threads) {
    if (thread.view.activity == Activity::kFinished && runtime::held_lock_count() == 0) continue;
    text += "  " + thread_name(thread.view.id) + " " + what_it_does(thread.view, names) + '\n';
    for (std::size_t i = 0; i < runtime::held_lock_count(); ++i) {
      const runtime::HeldLock lock = runtime::held_lock(i);
      if (lock.holder != thread.view.id) continue;
      text += "    holds " + std::string(lock.noun) + " " + names.name(lock.object);
      if (lock.for_reading) text += " for reading";
      if (lock.stack[0] != nullptr) text += ", taken at " + place_of(frames_of(lock.stack));
      text += '\n';
    }
    const Activity activity = thread.view.activity;
    if (trace != nullptr && activity != Activity::kFinished && activity != Activity::kBlocked)
      text += render_circle(*trace, thread.view.id, names);
    text += render_frames(thread.frames);
  }
  return text;
}

// Threads are what the finding is about: nobody in particular did something wrong.
bool is_about_threads(Verdict verdict) {
  return verdict == Verdict::kDeadlock || verdict == Verdict::kLostWakeup || verdict == Verdict::kLivelock ||
         verdict == Verdict::kThreadLeak;
}

void add_threads(Report& report, const Cause& cause, const Trace& trace, ObjectNames& names) {
  std::vector<Waiting> threads;
  for (std::uint32_t i = 0; i < runtime::thread_count(); ++i) {
    const ThreadView view = runtime::look_at(ThreadId{i});
    threads.push_back({view, frames_of(view.stack)});
  }
  std::vector<std::string> functions;
  const auto add_function = [&](const std::vector<Frame>& frames) { functions.push_back(function_of(frames)); };
  if (is_about_threads(report.verdict)) {
    report.text += render_threads(threads, names, report.verdict == Verdict::kLivelock ? &trace : nullptr);
    // Of threads that go in circles, the one that was on when the limit was reached is as good as any.
    if (report.verdict == Verdict::kLivelock) report.where = place_of(threads[runtime::current_thread().value].frames);
    for (const Waiting& thread : threads) {
      const bool counts = thread.view.activity == Activity::kBlocked && thread.view.op != EventKind::kJoin &&
                          thread.view.op != EventKind::kReturn;
      if (!counts && report.verdict != Verdict::kLivelock) continue;
      if (thread.view.activity == Activity::kFinished) continue;
      if (report.where.empty()) report.where = place_of(thread.frames);
      add_function(thread.frames);
    }
  } else if (!cause.stacks.empty()) {
    for (const runtime::Stack& stack : cause.stacks) {
      const std::vector<Frame> frames = frames_of(stack);
      if (report.where.empty()) report.where = place_of(frames);
      add_function(frames);
    }
  } else {
    const std::vector<Frame>& frames = threads[runtime::current_thread().value].frames;
    report.text += "  in " + thread_name(runtime::current_thread()) + '\n' + render_frames(frames);
    report.where = place_of(frames);
    std::size_t own = 0;
    for (const Frame& frame : frames)
      if (!frame.is_system && own++ < 3) functions.push_back(frame.function);
  }
  if (!cause.place.empty()) report.where = cause.place;
  // The same bug may meet its threads in another order.
  if (is_about_threads(report.verdict) || !cause.stacks.empty()) std::ranges::sort(functions);
  report.dedup_token = std::string(to_text(report.verdict));
  std::ranges::replace(report.dedup_token, ' ', '-');
  for (const std::string& function : functions) report.dedup_token += "--" + function;
}

}  // namespace

Trace current_trace() {
  Trace trace;
  std::map<std::uintptr_t, std::uint32_t> numbers;
  std::uint32_t next_number = 0;
  const auto events = runtime::events();
  for (std::size_t i = 0; i < events.size(); ++i) {
    const RawEvent& event = events[i];
    if (event.kind == EventKind::kFree) {
      numbers.erase(numbers.lower_bound(event.address), numbers.lower_bound(event.address + event.size));
      continue;
    }
    TraceEvent numbered{.thread = ThreadId{event.thread},
                        .kind = event.kind,
                        .size = event.size,
                        .source = static_cast<std::uint32_t>(i)};
    if (event.site != nullptr) numbered.site = runtime::site_number(event.site);
    if (event.address != 0) {
      const auto [entry, is_new] = numbers.try_emplace(event.address, next_number + 1);
      if (is_new) ++next_number;
      numbered.variable = VariableId{entry->second};
    }
    trace.push_back(numbered);
  }
  return trace;
}

std::string describe_difference(const Trace& here, const Trace& there) {
  const std::optional<std::size_t> first = first_difference(here, there);
  if (!first) return {};
  const auto describe_event = [&](const Trace& trace) -> std::string {
    if (*first >= trace.size()) return "the run has ended";
    const TraceEvent& event = trace[*first];
    std::string text = thread_name(event.thread) + ": " + std::string(traits(event.kind).text);
    const weavefuzz_site* site = runtime::site_at(event.site);
    const char* variable = site == nullptr ? nullptr : text_at(site, site->variable);
    if (variable != nullptr) {
      text += std::string(" ") + variable;
    } else if (event.variable != VariableId{}) {
      text += " #" + std::to_string(event.variable.value);
    }
    if (const char* file = site == nullptr ? nullptr : text_at(site, site->file))
      text += "  " + base_name(file) + ":" + std::to_string(site->line);
    return text;
  };
  return "  first difference at event " + std::to_string(*first + 1) + "\n    here:  " + describe_event(here) +
         "\n    there: " + describe_event(there) + "\n";
}

std::string trace_line(const Report& report) {
  char text[128];
  std::snprintf(text, sizeof text, "TRACE_HASH: %016llx events: %u switches: %u preemptions: %u",
                static_cast<unsigned long long>(report.trace_hash), report.stats.events, report.stats.switches,
                report.stats.preemptions);
  return text;
}

Report make_report(const Cause& cause, const Options& options) {
  Report report;
  report.verdict = cause.verdict;
  report.stats = runtime::stats();
  ObjectNames names;
  const Trace trace = current_trace();
  report.trace_hash = hash(trace);
  if (cause.verdict != Verdict::kPass) {
    report.text = "Weavefuzz: " + std::string(to_text(cause.verdict));
    if (!cause.what.empty()) report.text += ": " + cause.what;
    report.text += '\n';
    add_threads(report, cause, trace, names);
    report.text += '\n';
  }
  report.text += render_interleaving(trace, names, options.trace_events);
  if (report.stats.forgotten > 0)
    report.text +=
        "  (" + std::to_string(report.stats.forgotten) + " events before these, of one thread alone, were not kept)\n";
  if (report.stats.unused_switches > 0)
    report.text += "  (" + std::to_string(report.stats.unused_switches) + " switches of the schedule did not apply)\n";
  return report;
}

}  // namespace weavefuzz::engine
