/** The terminal beside the page: the same folders, the same answers, at once. */

import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { missingTmux, openScreen } from '../support/tmux.ts'
import type { Site } from './site.ts'
import type { Trial } from './trial.ts'

const SMALL = fileURLToPath(new URL('../../packages/app/test/web/stdio-server.mjs', import.meta.url))
const RUNNER = fileURLToPath(new URL('../../scripts/run.mjs', import.meta.url))
const COMMAND = fileURLToPath(new URL('../../packages/app/src/cli/main.ts', import.meta.url))

export const terminalTrials: readonly Trial[] = [
  { name: 'terminal: "always" in the terminal starts the server in the page (newcomer B2)', run: allowInTerminal },
]

async function allowInTerminal({ program, page, show, call }: Site): Promise<void> {
  const missing = missingTmux()
  if (missing !== undefined) return console.log(`skipped: ${missing}`)
  const { folder } = program
  const env = {
    HOME: join(folder, 'home'),
    PORTICO_STATE_DIR: join(folder, 'state'),
    PORTICO_CONFIG_DIR: join(folder, 'config'),
  }
  const screen = openScreen(env, join(folder, 'project'))
  const portico = `${process.execPath} ${RUNNER} ${COMMAND}`
  try {
    await show('/servers')
    screen.line(`${portico} servers add w2 -- ${process.execPath} ${SMALL}`)
    const card = page.getByRole('article', { name: 'Server w2' })
    await card.getByRole('button', { name: 'Review' }).waitFor()
    screen.mark()
    screen.line(`${portico} list w2`)
    await screen.until(/\[a\] Always allow/)
    screen.line('a')
    await screen.until(/flood/)
    await card.getByText('Ready', { exact: true }).waitFor()
    await card.getByRole('link', { name: /tools of w2/ }).click()
    await page.getByRole('option').filter({ hasText: 'pid' }).first().click()
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByRole('region', { name: 'Run' }).getByText('Done', { exact: true }).waitFor()
  } finally {
    screen.close()
    await call('servers.remove', { server: 'w2' }).catch(() => {})
  }
}
