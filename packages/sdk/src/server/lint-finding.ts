/** What a linter rule reports. */

export type Severity = 'error' | 'warning' | 'info'

export interface Finding {
  /** Which rule, as `tool-undescribed`. */
  readonly rule: string
  readonly severity: Severity
  /** What it is about, as `tools.forecast.input.city`. */
  readonly where: string
  readonly message: string
  readonly fix: string
}
