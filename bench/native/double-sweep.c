/*
 * The yardstick: how fast native code does the walkers' work, written as well as we can and doing nothing else.
 *
 * Problem: find the pairs (watcher, marker) that were within the watcher's range at the last tick and are no longer, or
 * the reverse. Every entity is a watcher and a marker, in a plane, with a circle of its own range.
 *
 * Method: stateless. Each tick sorts all entities into cells by counting, which puts neighbours into runs of memory, and
 * tests each watcher against the few runs around it, as many pairs at a time as the machine's vectors hold:
 *
 *     inside(old) xor inside(new)        inside: f32(f32(dx*dx) + f32(dy*dy)) <= f32(range*range)
 *
 *     rows of cells      . . . . . . .       a run: the cells of one row that the circle may touch, one piece
 *                        . . # # # . .       of each sorted column, since cells of a row follow each other
 *                        . # # w # # .
 *                        . . # # # . .
 *
 * A pair that differs is written as watcher << bits | marker; the pairs are radix-sorted and read as a list for each watcher.
 *
 * Memory: 44 bytes an entity and 4 a cell; nothing a pair. Cost: sorting, then about 50 pairs tested an entity.
 *
 * Run as `double-sweep serve REQUESTS REPLIES`, two named pipes. First it reads a count and the ranges. Then, until the
 * pipe is closed, it reads requests. 1: positions; it answers the tick's times and counts. 2: it answers the report's hash.
 * The clock runs while it sorts, tests and reports, but not while it reads positions. `double-sweep describe` prints the
 * vectors that it was compiled for.
 *
 * Compile with contraction off (-ffp-contract=off): a fused multiply-add rounds once where the definition rounds twice.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#if defined(__AVX512F__)
#include <immintrin.h>
#define VECTORS "AVX-512"
#define LANES 16
typedef __m512 vec;
#define vec_load(from) _mm512_loadu_ps(from)
#define vec_all(value) _mm512_set1_ps(value)
#define vec_sub(a, b) _mm512_sub_ps(a, b)
#define vec_add(a, b) _mm512_add_ps(a, b)
#define vec_mul(a, b) _mm512_mul_ps(a, b)
typedef __mmask16 vec_mask;
#define vec_at_most(a, b) _mm512_cmp_ps_mask(a, b, _CMP_LE_OQ)
#define mask_xor(a, b) _kxor_mask16(a, b)
#define mask_bits(mask) _cvtmask16_u32(mask)
#elif defined(__AVX2__)
#include <immintrin.h>
#define VECTORS "AVX2"
#define LANES 8
typedef __m256 vec;
#define vec_load(from) _mm256_loadu_ps(from)
#define vec_all(value) _mm256_set1_ps(value)
#define vec_sub(a, b) _mm256_sub_ps(a, b)
#define vec_add(a, b) _mm256_add_ps(a, b)
#define vec_mul(a, b) _mm256_mul_ps(a, b)
typedef __m256 vec_mask;
#define vec_at_most(a, b) _mm256_cmp_ps(a, b, _CMP_LE_OQ)
#define mask_xor(a, b) _mm256_xor_ps(a, b)
#define mask_bits(mask) ((uint32_t)_mm256_movemask_ps(mask))
#elif defined(__SSE2__)
#include <emmintrin.h>
#define VECTORS "SSE2"
#define LANES 4
typedef __m128 vec;
#define vec_load(from) _mm_loadu_ps(from)
#define vec_all(value) _mm_set1_ps(value)
#define vec_sub(a, b) _mm_sub_ps(a, b)
#define vec_add(a, b) _mm_add_ps(a, b)
#define vec_mul(a, b) _mm_mul_ps(a, b)
typedef __m128 vec_mask;
#define vec_at_most(a, b) _mm_cmple_ps(a, b)
#define mask_xor(a, b) _mm_xor_ps(a, b)
#define mask_bits(mask) ((uint32_t)_mm_movemask_ps(mask))
#else
#define VECTORS "no vectors"
#define LANES 1
typedef float vec;
#define vec_load(from) (*(from))
#define vec_all(value) (value)
#define vec_sub(a, b) ((a) - (b))
#define vec_add(a, b) ((a) + (b))
#define vec_mul(a, b) ((a) * (b))
typedef uint32_t vec_mask;
#define vec_at_most(a, b) ((uint32_t)((a) <= (b)))
#define mask_xor(a, b) ((a) ^ (b))
#define mask_bits(mask) (mask)
#endif

/* The height of rows and the width of columns as a share of a range. Found by trying: see docs/internals/speed.md. */
#ifndef ROWS_A_RANGE
#define ROWS_A_RANGE 1.5f
#endif
#ifndef COLUMNS_A_RANGE
#define COLUMNS_A_RANGE 0.75f
#endif
/* The most cells for each entity: below a quarter of an entity in a cell, finer cells only cost memory. */
#define CELLS_AN_ENTITY 4
#define RADIX_PASSES 4
/* Rounded squares may admit slightly more than the range: windows are this many times as wide. */
#define SEARCH_FACTOR 1.000001f
/* Watcher and marker may each have moved diagonally: twice the root of two. */
#define BOTH_STEPS 2.8285f

typedef struct {
  uint64_t *words, *spare;
  size_t count, room;
  uint32_t *watchers, *offsets, *markers;
  uint32_t row_count;
} report_t;

/* Tests a vector of markers from place `from` on against the watcher at `place`; a bit for each marker. */
typedef struct {
  uint32_t place, from, changed, is_inside;
} hit_t;

typedef struct {
  float x, y, old_x, old_y;
} body_t;

static uint32_t count;
static uint32_t marker_bits;
/* Positions by slot, now and at the last tick; NaN: not present. */
static float *x, *y, *old_x, *old_y, *range, *range_squared;
/* The same in the order of cells, and their slots. */
static float *sorted_x, *sorted_y, *sorted_old_x, *sorted_old_y, *sorted_reach;
static uint32_t *sorted_slot;
static body_t *sorted_body;
/* By slot, its cell; by cell, where its entries begin, with one more at the end. */
static uint32_t *cell_of, *cell_start;
static size_t cell_room;
static uint32_t columns, rows;
static float min_x, min_y, columns_a_unit, rows_a_unit, row_height, column_width, mean_range;
/* The longest step along an axis, and the error of a place in the grid. */
static float longest_step, grid_error;
/* If all ranges are equal, the column of reaches is filled once. */
static int has_one_range = 1;
static report_t entered, left;
/* Tests that found pairs, not decoded yet. */
static hit_t *hits;
static size_t hit_count, hit_room;

static void *allocated(size_t bytes) {
  void *block = NULL;
  /* One more cache line, because the last vector of a run may read beyond the end. */
  if (posix_memalign(&block, 64, bytes + 64) != 0) {
    fprintf(stderr, "double-sweep: no room for %zu bytes\n", bytes);
    exit(1);
  }
  memset(block, 0, bytes + 64);
  return block;
}

static inline float larger(float one, float other) { return one > other ? one : other; }

static double now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* How long this program has waited for a core since it began, if the system reports it; else 0. */
static double core_wait_ns(void) {
  static int file = -2;
  if (file == -2) file = open("/proc/self/schedstat", O_RDONLY);
  char text[64];
  ssize_t length = file < 0 ? -1 : pread(file, text, sizeof text - 1, 0);
  if (length <= 0) return 0;
  text[length] = 0;
  char *after_running;
  strtoull(text, &after_running, 10);
  return (double)strtoull(after_running, NULL, 10);
}

/* Takes the positions, and finds the longest step along an axis. Sixteen at a time, so that the compiler uses vectors. */
static void measure_crowd(float *max_x, float *max_y) {
  enum { AT_A_TIME = 16 };
  float low_x[AT_A_TIME], high_x[AT_A_TIME], low_y[AT_A_TIME], high_y[AT_A_TIME], far[AT_A_TIME];
  for (int lane = 0; lane < AT_A_TIME; lane++) {
    low_x[lane] = high_x[lane] = x[0];
    low_y[lane] = high_y[lane] = y[0];
    far[lane] = 0;
  }
  uint32_t whole = count / AT_A_TIME * AT_A_TIME;
  for (uint32_t slot = 0; slot < whole; slot += AT_A_TIME) {
    for (int lane = 0; lane < AT_A_TIME; lane++) {
      float at_x = x[slot + lane], at_y = y[slot + lane];
      low_x[lane] = at_x < low_x[lane] ? at_x : low_x[lane];
      high_x[lane] = at_x > high_x[lane] ? at_x : high_x[lane];
      low_y[lane] = at_y < low_y[lane] ? at_y : low_y[lane];
      high_y[lane] = at_y > high_y[lane] ? at_y : high_y[lane];
      /* A comparison with NaN is false, so an entity that was not present has made no step. */
      float step_x = fabsf(at_x - old_x[slot + lane]), step_y = fabsf(at_y - old_y[slot + lane]);
      far[lane] = step_x > far[lane] ? step_x : far[lane];
      far[lane] = step_y > far[lane] ? step_y : far[lane];
    }
  }
  for (uint32_t slot = whole; slot < count; slot++) {
    if (x[slot] < low_x[0]) low_x[0] = x[slot];
    if (x[slot] > high_x[0]) high_x[0] = x[slot];
    if (y[slot] < low_y[0]) low_y[0] = y[slot];
    if (y[slot] > high_y[0]) high_y[0] = y[slot];
    if (fabsf(x[slot] - old_x[slot]) > far[0]) far[0] = fabsf(x[slot] - old_x[slot]);
    if (fabsf(y[slot] - old_y[slot]) > far[0]) far[0] = fabsf(y[slot] - old_y[slot]);
  }
  for (int lane = 1; lane < AT_A_TIME; lane++) {
    if (low_x[lane] < low_x[0]) low_x[0] = low_x[lane];
    if (high_x[lane] > high_x[0]) high_x[0] = high_x[lane];
    if (low_y[lane] < low_y[0]) low_y[0] = low_y[lane];
    if (high_y[lane] > high_y[0]) high_y[0] = high_y[lane];
    if (far[lane] > far[0]) far[0] = far[lane];
  }
  min_x = low_x[0];
  min_y = low_y[0];
  *max_x = high_x[0];
  *max_y = high_y[0];
  longest_step = far[0];
}

/* Rows and columns over the whole crowd; wider ones if there would be too many. */
static void lay_grid(void) {
  float max_x, max_y;
  measure_crowd(&max_x, &max_y);
  float width = mean_range / COLUMNS_A_RANGE;
  row_height = mean_range / ROWS_A_RANGE;
  double most = (double)CELLS_AN_ENTITY * count + 64;
  while (((double)(max_x - min_x) / width + 1) * ((double)(max_y - min_y) / row_height + 1) > most) {
    width *= 1.25f;
    row_height *= 1.25f;
  }
  column_width = width;
  columns_a_unit = 1 / width;
  grid_error = 1e-6f * (max_x - min_x + max_y - min_y);
  rows_a_unit = 1 / row_height;
  columns = (uint32_t)((max_x - min_x) * columns_a_unit) + 1;
  rows = (uint32_t)((max_y - min_y) * rows_a_unit) + 1;
  size_t cells = (size_t)columns * rows;
  if (cells + 1 > cell_room) {
    free(cell_start);
    cell_room = 2 * cells + 2;
    cell_start = allocated(cell_room * sizeof(uint32_t));
  }
}

static __attribute__((noinline)) void find_cells(void) {
  const float *restrict from_x = x, *restrict from_y = y;
  uint32_t *restrict to = cell_of;
  const float left_edge = min_x, lower_edge = min_y, by_x = columns_a_unit, by_y = rows_a_unit;
  const uint32_t row_length = columns, all = count;
  for (uint32_t slot = 0; slot < all; slot++) {
    uint32_t column = (uint32_t)(int32_t)((from_x[slot] - left_edge) * by_x);
    uint32_t row = (uint32_t)(int32_t)((from_y[slot] - lower_edge) * by_y);
    to[slot] = row * row_length + column;
  }
}

/*
 * Writes each entity to its place, from the last to the first, each cell filled from its end; afterwards cell_start is where the
 * cell begins. Each entity costs two cache misses, a write of 16 bytes and one of its slot; the columns are made from these.
 */
static __attribute__((noinline)) void place_all(void) {
  const float *restrict from_x = x, *restrict from_y = y, *restrict from_old_x = old_x, *restrict from_old_y = old_y;
  const uint32_t *restrict cells = cell_of;
  body_t *restrict to = sorted_body;
  uint32_t *restrict to_slot = sorted_slot, *restrict starts = cell_start;
  for (uint32_t slot = count; slot-- > 0;) {
    uint32_t place = --starts[cells[slot]];
    to[place] = (body_t){from_x[slot], from_y[slot], from_old_x[slot], from_old_y[slot]};
    to_slot[place] = slot;
  }
}

static __attribute__((noinline)) void split_into_columns(void) {
  const body_t *restrict from = sorted_body;
  float *restrict to_x = sorted_x, *restrict to_y = sorted_y;
  float *restrict to_old_x = sorted_old_x, *restrict to_old_y = sorted_old_y;
  const uint32_t all = count;
  for (uint32_t place = 0; place < all; place++) {
    to_x[place] = from[place].x;
    to_y[place] = from[place].y;
    to_old_x[place] = from[place].old_x;
    to_old_y[place] = from[place].old_y;
  }
  if (has_one_range) return;
  for (uint32_t place = 0; place < all; place++) sorted_reach[place] = range_squared[sorted_slot[place]];
}

/* The counting sort: count each cell, find where each cell begins, write each entity to its place. */
static __attribute__((noinline)) void sort_into_cells(void) {
  lay_grid();
  size_t cells = (size_t)columns * rows;
  memset(cell_start, 0, (cells + 1) * sizeof(uint32_t));
  find_cells();
  const uint32_t *restrict cell = cell_of;
  uint32_t *restrict starts = cell_start;
  for (uint32_t slot = 0; slot < count; slot++) starts[cell[slot]]++;
  uint32_t sum = 0;
  for (size_t cell = 0; cell <= cells; cell++) {
    sum += cell_start[cell];
    cell_start[cell] = sum;
  }
  place_all();
  split_into_columns();
}

static void make_room(report_t *report) {
  if (report->count + LANES <= report->room) return;
  report->room = 2 * report->room + 4096;
  report->words = realloc(report->words, report->room * sizeof(uint64_t));
  report->spare = realloc(report->spare, report->room * sizeof(uint64_t));
  report->watchers = realloc(report->watchers, report->room * sizeof(uint32_t));
  report->offsets = realloc(report->offsets, (report->room + 1) * sizeof(uint32_t));
  report->markers = realloc(report->markers, report->room * sizeof(uint32_t));
  if (!report->words || !report->spare || !report->watchers || !report->offsets || !report->markers) {
    fprintf(stderr, "double-sweep: no room for a report of %zu\n", report->room);
    exit(1);
  }
}

static void write_down(const hit_t *hit) {
  uint32_t slot = sorted_slot[hit->place];
  make_room(&entered);
  make_room(&left);
  for (uint32_t changed = hit->changed; changed != 0; changed &= changed - 1) {
    uint32_t lane = (uint32_t)__builtin_ctz(changed);
    uint32_t marker = sorted_slot[hit->from + lane];
    /* On the first tick every entity enters its own range. */
    if (marker == slot) continue;
    report_t *report = hit->is_inside >> lane & 1 ? &entered : &left;
    report->words[report->count++] = (uint64_t)slot << marker_bits | marker;
  }
}

/* Decodes the hits so far, and makes room for `more` hits. */
static __attribute__((noinline)) void clear_hits(size_t more) {
  for (size_t i = 0; i < hit_count; i++) write_down(hits + i);
  hit_count = 0;
  if (more <= hit_room) return;
  free(hits);
  hit_room = 2 * more;
  hits = allocated(hit_room * sizeof(hit_t));
}

static inline int32_t clamped(float value, uint32_t limit) {
  if (!(value > 0)) return 0;
  return value < (float)limit ? (int32_t)value : (int32_t)limit - 1;
}

/*
 * Tests the watchers of one cell, places `first` to `last`, against one run. A vector of markers stays in registers for all
 * watchers. The loops contain no call, which would write all vectors to memory.
 */
static inline void test_run(uint32_t first, uint32_t last, uint32_t from, uint32_t to) {
  const float *restrict xs = sorted_x, *restrict ys = sorted_y, *restrict reaches = sorted_reach;
  const float *restrict old_xs = sorted_old_x, *restrict old_ys = sorted_old_y;
  size_t most = (size_t)(last - first) * ((to - from) / LANES + 1);
  if (hit_count + most > hit_room) clear_hits(most);
  hit_t *restrict hit = hits + hit_count;
  for (; from < to; from += LANES) {
    uint32_t remaining = to - from;
    uint32_t present = remaining < LANES ? (1u << remaining) - 1 : (uint32_t)((1ull << LANES) - 1);
    const vec marker_x = vec_load(xs + from), marker_old_x = vec_load(old_xs + from);
    const vec marker_y = vec_load(ys + from), marker_old_y = vec_load(old_ys + from);
    for (uint32_t place = first; place < last; place++) {
      vec reach = vec_all(reaches[place]);
      vec dx = vec_sub(marker_x, vec_all(xs[place]));
      vec dy = vec_sub(marker_y, vec_all(ys[place]));
      vec old_dx = vec_sub(marker_old_x, vec_all(old_xs[place]));
      vec old_dy = vec_sub(marker_old_y, vec_all(old_ys[place]));
      vec_mask is_inside = vec_at_most(vec_add(vec_mul(dx, dx), vec_mul(dy, dy)), reach);
      vec_mask was_inside = vec_at_most(vec_add(vec_mul(old_dx, old_dx), vec_mul(old_dy, old_dy)), reach);
      uint32_t changed = mask_bits(mask_xor(is_inside, was_inside)) & present;
      if (__builtin_expect(changed != 0, 0)) *hit++ = (hit_t){place, from, changed, mask_bits(is_inside)};
    }
  }
  hit_count = (size_t)(hit - hits);
}

/* The rows that circles around the cell's watchers may touch, and their width there. All entities have moved since. */
static void test_cell(uint32_t column, uint32_t row) {
  const uint32_t *cell = cell_start + (size_t)row * columns + column;
  uint32_t first = cell[0], last = cell[1];
  if (first == last) return;
  float squared = 0;
  for (uint32_t place = first; place < last; place++) squared = larger(squared, sorted_reach[place]);
  if (squared == 0) return;
  float reach = sqrtf(squared) * SEARCH_FACTOR + BOTH_STEPS * longest_step + grid_error;
  float left_edge = (float)column * column_width, lower_edge = (float)row * row_height;
  int32_t first_row = clamped((lower_edge - reach) * rows_a_unit, rows);
  int32_t last_row = clamped((lower_edge + row_height + reach) * rows_a_unit, rows);
  for (int32_t other = first_row; other <= last_row; other++) {
    int32_t rows_between = other > (int32_t)row ? other - (int32_t)row - 1 : (int32_t)row - other - 1;
    float away = rows_between > 0 ? (float)rows_between * row_height - grid_error : 0;
    float half = sqrtf(larger(reach * reach - away * away, 0)) + grid_error;
    int32_t from = clamped((left_edge - half) * columns_a_unit, columns);
    int32_t to = clamped((left_edge + column_width + half) * columns_a_unit, columns);
    const uint32_t *starts = cell_start + (size_t)other * columns;
    test_run(first, last, starts[from], starts[to + 1]);
  }
}

static __attribute__((noinline)) void test_all(void) {
  for (uint32_t row = 0; row < rows; row++) {
    for (uint32_t column = 0; column < columns; column++) test_cell(column, row);
  }
  clear_hits(0);
}

/* Sorts words by watcher, then by marker. */
static __attribute__((noinline)) void sort_words(report_t *report) {
  uint32_t digit = (2 * marker_bits + RADIX_PASSES - 1) / RADIX_PASSES;
  static uint32_t starts[1 << 11];
  for (uint32_t pass = 0; pass < RADIX_PASSES; pass++) {
    uint32_t shift = pass * digit, mask = (1u << digit) - 1, sum = 0;
    memset(starts, 0, sizeof(uint32_t) << digit);
    for (size_t i = 0; i < report->count; i++) starts[report->words[i] >> shift & mask]++;
    for (uint32_t value = 0; value <= mask; value++) {
      uint32_t here = starts[value];
      starts[value] = sum;
      sum += here;
    }
    for (size_t i = 0; i < report->count; i++) {
      uint64_t word = report->words[i];
      report->spare[starts[word >> shift & mask]++] = word;
    }
    uint64_t *sorted = report->spare;
    report->spare = report->words;
    report->words = sorted;
  }
}

/* A list for each watcher with changes: row i is markers[offsets[i] .. offsets[i + 1]). */
static void make_rows(report_t *report) {
  uint64_t marker_mask = ((uint64_t)1 << marker_bits) - 1;
  uint32_t row_count = 0, last = UINT32_MAX;
  for (size_t i = 0; i < report->count; i++) {
    uint32_t watcher = (uint32_t)(report->words[i] >> marker_bits);
    report->markers[i] = (uint32_t)(report->words[i] & marker_mask);
    if (watcher == last) continue;
    last = watcher;
    report->watchers[row_count] = watcher;
    report->offsets[row_count++] = (uint32_t)i;
  }
  if (report->offsets) report->offsets[row_count] = (uint32_t)report->count;
  report->row_count = row_count;
}

static uint32_t read_rows(const report_t *report) {
  uint32_t sum = 0;
  for (uint32_t row = 0; row < report->row_count; row++) {
    sum += report->watchers[row];
    for (uint32_t i = report->offsets[row]; i < report->offsets[row + 1]; i++) sum += report->markers[i];
  }
  return sum;
}

/* The hash that Changes.hash() documents, a sum of 64 bits a pair, for ids that count from slot 0, generation 1. */
static uint32_t mixed(uint32_t value) {
  value = (value ^ value >> 16) * 0x85ebca6bu;
  value = (value ^ value >> 13) * 0xc2b2ae35u;
  return value ^ value >> 16;
}

static uint64_t hash_of(const report_t *report, uint32_t salt) {
  uint64_t sum = 0, marker_mask = ((uint64_t)1 << marker_bits) - 1;
  for (size_t i = 0; i < report->count; i++) {
    uint32_t watcher = (uint32_t)(report->words[i] >> marker_bits) * 1024 + 1;
    uint32_t marker = (uint32_t)(report->words[i] & marker_mask) * 1024 + 1;
    uint32_t a = mixed(watcher * 0x9e3779b1u + salt);
    uint32_t low = mixed(a ^ marker * 0x85ebca77u);
    uint32_t high = mixed(low + marker * 0xc2b2ae3du + a);
    sum += (uint64_t)high << 32 | low;
  }
  return sum;
}

/* The answer to a tick. */
typedef struct {
  double sort_ns, test_ns, report_ns;
  /* The part of these in which it was ready to run without a core. */
  double waited_ns;
  uint32_t entered, left, id_sum, unused;
} reply_t;

static void tick(reply_t *reply) {
  double waited = core_wait_ns(), began = now_ns();
  sort_into_cells();
  double sorted = now_ns();
  entered.count = left.count = 0;
  test_all();
  double tested = now_ns();
  sort_words(&entered);
  sort_words(&left);
  make_rows(&entered);
  make_rows(&left);
  reply->id_sum = read_rows(&entered) + read_rows(&left);
  double ended = now_ns();
  reply->waited_ns = core_wait_ns() - waited;
  reply->sort_ns = sorted - began;
  reply->test_ns = tested - sorted;
  reply->report_ns = ended - tested;
  reply->entered = (uint32_t)entered.count;
  reply->left = (uint32_t)left.count;
}

/* False at the end of the input. */
static int take(int from, void *into, size_t bytes) {
  for (size_t had = 0; had < bytes;) {
    ssize_t part = read(from, (char *)into + had, bytes - had);
    if (part <= 0) return 0;
    had += (size_t)part;
  }
  return 1;
}

static int give(int to, const void *from, size_t bytes) {
  for (size_t given = 0; given < bytes;) {
    ssize_t part = write(to, (const char *)from + given, bytes - given);
    if (part <= 0) return 0;
    given += (size_t)part;
  }
  return 1;
}

static void settle(int requests) {
  if (!take(requests, &count, sizeof count) || count == 0) exit(1);
  while (((uint64_t)1 << marker_bits) < count) marker_bits++;
  float **columns_by_slot[] = {&x,        &y,        &old_x,        &old_y,       &range, &range_squared,
                               &sorted_x, &sorted_y, &sorted_old_x, &sorted_old_y, &sorted_reach};
  for (size_t i = 0; i < sizeof columns_by_slot / sizeof *columns_by_slot; i++) {
    *columns_by_slot[i] = allocated(count * sizeof(float));
  }
  sorted_slot = allocated(count * sizeof(uint32_t));
  sorted_body = allocated(count * sizeof(body_t));
  cell_of = allocated(count * sizeof(uint32_t));
  make_room(&entered);
  make_room(&left);
  if (!take(requests, range, count * sizeof(float))) exit(1);
  double sum = 0;
  uint32_t watching = 0;
  for (uint32_t slot = 0; slot < count; slot++) {
    x[slot] = y[slot] = NAN;
    range_squared[slot] = range[slot] * range[slot];
    sorted_reach[slot] = range_squared[slot];
    if (range[slot] != range[0]) has_one_range = 0;
    sum += range[slot];
    watching += range[slot] > 0;
  }
  mean_range = watching == 0 ? 1 : (float)(sum / watching);
}

static void swap(float **one, float **other) {
  float *held = *one;
  *one = *other;
  *other = held;
}

static int serve(const char *requests_path, const char *replies_path) {
  int requests = open(requests_path, O_RDONLY), replies = open(replies_path, O_WRONLY);
  if (requests < 0 || replies < 0) return 1;
  settle(requests);
  uint8_t request;
  while (take(requests, &request, 1)) {
    if (request == 1) {
      reply_t reply = {0};
      /* The present positions become the last ones. */
      swap(&x, &old_x);
      swap(&y, &old_y);
      if (!take(requests, x, count * sizeof(float)) || !take(requests, y, count * sizeof(float))) return 1;
      tick(&reply);
      if (!give(replies, &reply, sizeof reply)) return 1;
    } else {
      uint64_t hash = hash_of(&entered, 256 + 1) + hash_of(&left, 512);
      if (!give(replies, &hash, sizeof hash)) return 1;
    }
  }
  return 0;
}

int main(int argument_count, char **arguments) {
  if (argument_count == 2 && strcmp(arguments[1], "describe") == 0) {
    puts(VECTORS);
    return 0;
  }
  if (argument_count == 4 && strcmp(arguments[1], "pipes") == 0) {
    return mkfifo(arguments[2], 0600) != 0 || mkfifo(arguments[3], 0600) != 0;
  }
  if (argument_count == 4 && strcmp(arguments[1], "serve") == 0) return serve(arguments[2], arguments[3]);
  fprintf(stderr, "double-sweep: expected describe, pipes A B or serve REQUESTS REPLIES\n");
  return 2;
}
