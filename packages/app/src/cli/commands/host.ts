/** `portico host`: the host beside an editor, which speaks with it over the standard streams. */

import { HostError } from '@portico/host/errors'
import { openBrowser } from '@portico/sdk/auth-node'
import { PorticoError } from '@portico/sdk/client'
import { divertStrayOutput } from '@portico/sdk/internal'
import { createByteStreamChannel } from '@portico/sdk/socket'
import { CliError, EXIT_CODES } from '../../exit-codes.ts'
import { ownVersion } from '../../web/own-version.ts'
import { hostOptionsOf } from '../configuration.ts'
import { EDITORS, installPlugin } from '../editor/install-plugin.ts'
import { openEditorHost } from '../editor/open-editor-host.ts'
import { EDITOR_LIMITS } from '../editor/protocol.ts'
import { EditorSession } from '../editor/session.ts'
import { toCliError } from '../failure.ts'
import { canHoldClient } from '../gateway/standard-input.ts'
import type { CommandInput } from '../parse/command.ts'
import type { Io } from '../terminal/io.ts'
import { toPlain } from '../terminal/plain-text.ts'

export async function run(input: CommandInput, io: Io): Promise<number> {
  const { install, to, yes } = input.flags
  const editor = EDITORS.find((one) => one === install)
  if (editor !== undefined) {
    await installPlugin({ editor, to: typeof to === 'string' ? to : undefined, yes: yes === true }, io)
    return EXIT_CODES.ok.code
  }
  if (!canHoldClient(io.stdin))
    throw new CliError(
      'usage',
      'host: no editor is at the other end of standard input',
      'Editors start this command themselves; `portico chat` is for terminals.',
    )
  const { config } = hostOptionsOf(input)
  const stray = divertStrayOutput()
  const channel = createByteStreamChannel({
    readable: io.stdin,
    writable: process.stdout,
    label: 'stdio',
    owned: false,
    write: stray.write,
    limits: { maxLineBytes: EDITOR_LIMITS.maxLineBytes, maxDepth: 64 },
  })
  const session = new EditorSession({
    channel,
    version: ownVersion(),
    folder: io.cwd,
    openHost: (setup) => openEditorHost(io, config, setup),
    openPage: openBrowser,
    describe: (error) => describe(error, io),
  })
  try {
    const reason = await session.run(io.signal)
    if (reason !== undefined) throw new CliError('failed', `host: ${toPlain(reason.message)}`)
  } finally {
    stray.restore()
    io.stdin.destroy()
  }
  return EXIT_CODES.ok.code
}

function describe(
  error: unknown,
  io: Io,
): { readonly code: string; readonly message: string; readonly remedy?: string } {
  const aborted = error instanceof Error && error.name === 'AbortError'
  const code = aborted ? 'aborted' : error instanceof HostError || error instanceof PorticoError ? error.code : 'failed'
  const { message, remedy } = toCliError(error, io)
  return { code, message: toPlain(message), ...(remedy !== undefined && { remedy: toPlain(remedy) }) }
}
