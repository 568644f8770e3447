/**
 * What servers promise at this moment, for lock files: the configured ones as the host has them, one that is named
 * directly through a catalogue of its own. A comparison fails as a whole when a server cannot be
 * read; a lock may be written of the others, and says whom it lacks.
 */

import { defineServer } from '@portico/host/config'
import {
  type Catalogue,
  createCatalogue,
  createUpstreams,
  type ObservedItem,
  type Upstreams,
} from '@portico/host/upstream'
import { CliError } from '../exit-codes.ts'
import { findServer, readConfig } from './configuration.ts'
import { openHost } from './host.ts'
import type { TargetOptions } from './target/open-target.ts'
import { labelOf, type TargetKind } from './target/target-kind.ts'
import { toConfig, toUnreachable } from './target/unreachable.ts'
import type { Io } from './terminal/io.ts'

interface Seen {
  readonly servers: readonly string[]
  readonly observed: readonly ObservedItem[]
  /** Those that could not be read, where the caller goes on without them. */
  readonly missed: readonly Missed[]
}

export interface Missed {
  readonly server: string
  readonly error: unknown
}

/** All configured servers without a target; with `names`, only those. `skips` goes on after one that cannot be read. */
export async function lookAt(
  target: TargetKind | undefined,
  io: Io,
  options: TargetOptions,
  { names, skips = false }: { readonly names?: readonly string[]; readonly skips?: boolean } = {},
): Promise<Seen> {
  if (target !== undefined && target.kind !== 'name') return lookDirectly(target, io)
  const config = await readConfig(io, options.config)
  if (target !== undefined) findServer(config, target.name, [])
  const enabled = config.servers.filter(({ settings }) => !settings.disabled).map(({ name }) => name)
  const wanted = target === undefined ? (names ?? enabled) : [target.name]
  const known = wanted.filter((name) => config.servers.some((server) => server.name === name))
  if (known.length === 0)
    throw new CliError('not-found', 'No server is configured', 'Add one: `portico servers add --help`.')
  const host = await openHost(io, { ...options, only: known })
  try {
    const missed: Missed[] = []
    for (const name of known) {
      await reach(host.upstreams, name, io).catch((error: unknown) => {
        if (!skips || io.signal.aborted) throw error
        missed.push({ server: name, error })
      })
    }
    const servers = known.filter((name) => !missed.some(({ server }) => server === name))
    const [first] = missed
    if (servers.length === 0 && first !== undefined) throw first.error
    await host.catalogue.refresh(undefined, io.signal)
    refuseGaps(host.catalogue, missed)
    return { servers, observed: host.catalogue.observedItems(), missed }
  } finally {
    await host.close()
  }
}

async function lookDirectly(target: TargetKind, io: Io): Promise<Seen> {
  const name = labelOf(target)
  const file =
    target.kind === 'file' ? await (await import('../definition/load.ts')).loadDefinition(target.file, io) : undefined
  const inProcess = new Map(
    file === undefined || target.kind !== 'file' ? [] : [[target.file, async () => file] as const],
  )
  const upstreams = createUpstreams({ inProcess })
  const catalogue = createCatalogue(upstreams)
  try {
    await upstreams.set([defineServer(name, toConfig(target))])
    await upstreams.client(name, { signal: io.signal }).catch(async (error: unknown) => {
      throw io.signal.aborted ? error : await toUnreachable(error, target, io)
    })
    await catalogue.refresh(name, io.signal)
    refuseGaps(catalogue)
    return { servers: [name], observed: catalogue.observedItems(), missed: [] }
  } finally {
    await catalogue.close()
    await upstreams.close()
    await file?.close()
  }
}

async function reach(upstreams: Upstreams, name: string, io: Io): Promise<void> {
  io.progress(`connecting ${name} …`)
  await upstreams.client(name, { signal: io.signal })
  io.progress(undefined)
}

function refuseGaps(catalogue: Catalogue, missed: readonly Missed[] = []): void {
  const problem = catalogue.problems().find((one) => !missed.some(({ server }) => server === one.server))
  if (problem !== undefined)
    throw new CliError('failed', `${problem.server}: ${problem.message}`, 'Nothing was compared or written.')
}
