/** Shows a page in the person's browser: without a shell, and only pages that may be shown. Node only. */

import { spawn } from 'node:child_process'
import { checkPageUrl } from './user-agent.ts'

/**
 * Shows a page in the person's browser. Resolves to false where no browser could be started, as on a machine without a
 * screen.
 *
 * @example
 * ```ts
 * import { openBrowser } from '@portico/sdk/auth-node'
 *
 * const page = new URL('https://login.example.com/device')
 * if (!(await openBrowser(page))) console.log(`Please open ${page.href}`)
 * ```
 */
export function openBrowser(page: URL): Promise<boolean> {
  const { href } = checkPageUrl(page.href)
  const [command, ...args] = browserCommand(process.platform)
  return new Promise((resolve) => {
    // An argument list, never a line for a shell; the page is its last element and begins with http (sec-97).
    const child = spawn(command, [...args, href], { stdio: 'ignore', detached: true, shell: false })
    child.once('error', () => resolve(false))
    child.once('spawn', () => {
      child.unref()
      resolve(true)
    })
  })
}

export function browserCommand(platform: string): readonly [string, ...string[]] {
  if (platform === 'darwin') return ['open']
  // Unlike `start`, this is a program and not a word of the shell.
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler']
  return ['xdg-open']
}
