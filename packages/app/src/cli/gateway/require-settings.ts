/** The section `gateway` for a command that needs it whole: what is wrong with it ends every such command in the same words. */

import { formatProblem, type LoadedConfig } from '@portico/host/config'
import { CliError } from '../../exit-codes.ts'
import type { Io } from '../terminal/io.ts'
import { type GatewaySettings, readGatewaySettings } from './gateway-settings.ts'

export function requireSettings(config: LoadedConfig, io: Io): GatewaySettings {
  const { settings, problems } = readGatewaySettings(config)
  const [first] = problems
  if (first !== undefined) {
    const more = problems.length === 1 ? '' : ` (and ${problems.length - 1} more)`
    throw new CliError(
      'config',
      `${first}${more}`,
      'Correct the section `gateway`; `portico serve --check` shows everything.',
    )
  }
  for (const problem of config.problems) io.say(formatProblem(problem))
  return settings
}
