#include "strips.h"

/* Inputs of a plane with eight references, and what was to be predicted. */
enum { MOST = OWN_INPUTS + 2 * 8 + 1 };

/* Brings the weights of a strip nearer to the best. */
ALWAYS_INLINE void solve(const Equations *fit, int64_t strip) {
  int n = (int)fit->inputs;
  int32_t *weights = fit->weights + strip * n;
  int64_t known = 0, lacks[MOST];
  int32_t matrix[ROWS][ROWS];
  if (n + 1 < MOST) memset(matrix, 0, sizeof matrix);
  gather(fit, strip, matrix, 1);
  for (int i = 0; i <= n; i++) known += matrix[i][i];
  if (known <= 0) return;
  /* Three strips' sums are below 2^31, so what sums lack is below 2^47 plus 2^55. */
  for (int i = 0; i < MOST; i++) lacks[i] = matrix[n][i] * (INT64_C(1) << WEIGHT_BITS);
  for (int i = 0; i < n; i++) {
    matrix[i][i] += (matrix[i][i] >> RIDGE_SHIFT) + RIDGE;
    for (int j = 0; j < MOST; j++) lacks[j] -= (int64_t)matrix[i][j] * weights[i];
  }
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    int64_t next = lacks[0];
    for (int i = 0; i < n; i++) {
      int64_t found = within(weights[i] + floor_divided(next, matrix[i][i]), -HEAVIEST, HEAVIEST);
      int32_t change = (int32_t)found - weights[i];
      /* By itself first, as nothing else waits for the division. */
      next = lacks[i + 1] - (int64_t)matrix[i][i + 1] * change;
      weights[i] = (int32_t)found;
      for (int j = 0; j < MOST; j++) lacks[j] -= (int64_t)matrix[i][j] * change;
    }
  }
}

ALWAYS_INLINE void prepare(const Equations *fit, int64_t strip, const int32_t *number, const int32_t *error,
                           const int32_t *activity, int64_t stride, Strip *ahead) {
  const int32_t *w = fit->weights + strip * fit->inputs, *up = number - stride, *higher = up - stride;
  solve(fit, strip);
  for (int i = 0; i < STRIP; i++) {
    ahead->ahead[i] = (int64_t)up[i - 1] * w[2] + (int64_t)up[i + 1] * w[3] + (int64_t)higher[i] * w[5] +
                      (int64_t)higher[i + 1] * w[6] - (int64_t)up[i] * w[0];
    ahead->own[i] = 2 * error[i - stride] + error[i - stride - 1] + error[i - stride + 1] + error[i - 2 * stride];
    ahead->before[i] = 4 * activity[i] + activity[i - 1] + activity[i + 1] + activity[i - stride] + activity[i + stride];
    ahead->bound[i] = 0;
  }
  for (int j = 0; j < fit->others; j++) {
    const int32_t *there = number + fit->places[j], *above = there - stride;
    const int32_t of_off = w[OWN_INPUTS + 2 * j], of_slope = w[OWN_INPUTS + 2 * j + 1];
    int32_t *inputs = ahead->inputs[OWN_INPUTS + 2 * j];
    for (int i = 0; i < STRIP; i++) {
      int32_t off = there[i] - ((there[i - 1] + above[i]) >> 1), slope = there[i - 1] - above[i];
      ahead->ahead[i] += (int64_t)off * of_off + (int64_t)slope * of_slope;
      inputs[i] = off;
      inputs[STRIP + i] = slope;
    }
  }
}

EITHER_WIDTH(, prepare_strip, prepare,
             (const Equations *fit, int64_t strip, const int32_t *number, const int32_t *error, const int32_t *activity,
              int64_t stride, Strip *ahead),
             (fit, strip, number, error, activity, stride, ahead))

/* Finds the inputs that are in the plane itself, and what was to be predicted; scales all of them. */
ALWAYS_INLINE void scale(int inputs, const int32_t *number, int64_t stride, Strip *ahead, int16_t (*scaled)[STRIP]) {
  const int64_t places[OWN_PLACES + 1] = {-stride - 1, 1 - stride, -2, -2 * stride, 1 - 2 * stride, 0};
  int32_t middle[STRIP];
  for (int i = 0; i < STRIP; i++) {
    int32_t west = number[i - 1], north = number[i - stride], found = (west + north) >> 1;
    middle[i] = found;
    ahead->inputs[0][i] = west - north;
    ahead->inputs[1][i] = found < -SMALL ? -SMALL : found > SMALL ? SMALL : found;
  }
  for (int j = 0; j <= OWN_PLACES; j++) {
    int32_t *found = ahead->inputs[j < OWN_PLACES ? 2 + j : inputs];
    for (int i = 0; i < STRIP; i++) found[i] = number[places[j] + i] - middle[i];
  }
  for (int row = 0; row <= inputs; row++) {
    for (int i = 0; i < STRIP; i++) {
      int32_t found = ahead->inputs[row][i] >> ahead->less[i], bound = ahead->bound[i];
      found = found < bound ? found : bound;
      scaled[row][i] = (int16_t)((found > -bound ? found : -bound) * (1 << ahead->more[i]));
    }
  }
}

EITHER_WIDTH(static, scale_strip, scale,
             (int inputs, const int32_t *number, int64_t stride, Strip *ahead, int16_t (*scaled)[STRIP]),
             (inputs, number, stride, ahead, scaled))

void learn_strip(const Equations *fit, int64_t strip, const int32_t *number, int64_t stride, Strip *ahead) {
  int16_t scaled[ROWS][STRIP];
  scale_strip((int)fit->inputs, number, stride, ahead, scaled);
  for (int64_t row = fit->inputs + 1; row < 4 * blocks_of(fit); row++) memset(scaled[row], 0, sizeof scaled[row]);
  accumulate(fit, strip, (const int16_t(*)[STRIP])scaled, FORGET);
}
