/** Milliseconds since 1970 by a clock that nobody sets: an hour forth or back on the machine makes no wait longer or shorter. */
export function steadyNow(): number {
  return performance.timeOrigin + performance.now()
}
