/** Where a program keeps its data for the user who runs it, by the custom of the system. */

import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

export function dataFolder(env: NodeJS.ProcessEnv = process.env, platform: NodeJS.Platform = process.platform): string {
  if (platform === 'win32') return join(env.LOCALAPPDATA ?? join(homedir(), 'AppData', 'Local'), 'portico')
  if (platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'portico')
  const custom = env.XDG_DATA_HOME
  // The rule says that a relative path there is to be ignored.
  const base = custom !== undefined && isAbsolute(custom) ? custom : join(homedir(), '.local', 'share')
  return join(base, 'portico')
}
