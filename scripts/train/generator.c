/* The elementwise half of the teacher's generator: style normalisation and snake, fused.
 *
 * Rows are time, columns are channels: x[rows][channels]. One pass gathers the statistics of a channel over
 * time, a second one normalises, applies the style, adds snake (Liu et al., 2020: y + sin(alpha y)^2 / alpha)
 * and rounds to bfloat16 for the convolution that follows.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#define MOST_CHANNELS 512
#define ROWS_IN_FLOAT 256 /* summed in float before they are added to the doubles */

void statistics(const float *x, long rows, int channels, float *mean, float *inverse_deviation, float epsilon)
{
    double sum[MOST_CHANNELS] = {0}, squares[MOST_CHANNELS] = {0};
    for (long first = 0; first < rows; first += ROWS_IN_FLOAT) {
        float part[MOST_CHANNELS] = {0}, part_squares[MOST_CHANNELS] = {0};
        long end = first + ROWS_IN_FLOAT < rows ? first + ROWS_IN_FLOAT : rows;
        for (long row = first; row < end; row++) {
            const float *value = x + row * channels;
            for (int c = 0; c < channels; c++) {
                part[c] += value[c];
                part_squares[c] += value[c] * value[c];
            }
        }
        for (int c = 0; c < channels; c++) {
            sum[c] += part[c];
            squares[c] += part_squares[c];
        }
    }
    for (int c = 0; c < channels; c++) {
        double average = sum[c] / rows, variance = squares[c] / rows - average * average;
        mean[c] = (float)average;
        inverse_deviation[c] = (float)(1 / sqrt((variance > 0 ? variance : 0) + epsilon));
    }
}

static inline uint16_t bfloat16(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, 4);
    return (uint16_t)((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

/* y = scale x + shift, then y + sin(alpha y)^2 / alpha. `turns` is alpha / pi: sin^2 has period pi, so the
 * argument is reduced to [-1/2, 1/2] turns and the sine is a polynomial (Taylor, below 4e-6 there). */
void snake(const float *x, long rows, int channels, const float *scale, const float *shift, const float *turns,
           const float *inverse_alpha, uint16_t *out)
{
    for (long row = 0; row < rows; row++) {
        const float *value = x + row * channels;
        uint16_t *result = out + row * channels;
        for (int c = 0; c < channels; c++) {
            float y = value[c] * scale[c] + shift[c];
            float t = y * turns[c];
            float a = (t - rintf(t)) * 3.14159265358979f, s = a * a;
            float sine = a * (1 + s * (-1.6666667e-1f + s * (8.3333333e-3f + s * (-1.9841270e-4f + s * 2.7557319e-6f))));
            result[c] = bfloat16(y + inverse_alpha[c] * sine * sine);
        }
    }
}

/* total += part, where part is bfloat16 */
void accumulate(float *total, const uint16_t *part, long count)
{
    for (long i = 0; i < count; i++) {
        uint32_t bits = (uint32_t)part[i] << 16;
        float value;
        memcpy(&value, &bits, 4);
        total[i] += value;
    }
}
