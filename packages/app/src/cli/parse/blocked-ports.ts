/** Ports that browsers and `fetch` never connect to, since other kinds of server use them (Fetch standard, "port blocking"). */

import { CliError } from '../../exit-codes.ts'

const BLOCKED: ReadonlySet<number> = new Set([
  ...[1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109],
  ...[110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530],
  ...[531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190],
  ...[5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080],
])

/** A port to listen on, read from an option. Refuses what no client could reach, and says why. */
export function readPort(option: string, value: unknown, command: string): number {
  const flag = `--${option}`
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > 65_535)
    throw new CliError('usage', `${command}: ${flag} takes a port from 0 to 65535, not "${String(value)}"`)
  if (!BLOCKED.has(value)) return value
  throw new CliError(
    'usage',
    `${command}: port ${value} cannot be used: browsers and most clients refuse to connect to it, because it belongs to another kind of server`,
    `Give another, as in \`${flag} 3000\`.`,
  )
}
