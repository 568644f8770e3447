/** What a linter rule reports. */

/** How much a finding matters. */
export type Severity = 'error' | 'warning' | 'info'

/** One thing that the linter noticed. */
export interface Finding {
  /** Which rule, as `tool-undescribed`. */
  readonly rule: string
  readonly severity: Severity
  /** What it is about, as `tools.forecast.input.city`. */
  readonly where: string
  readonly message: string
  readonly fix: string
}
