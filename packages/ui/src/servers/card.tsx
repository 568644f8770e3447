/** One server at a glance: its state in words, why and what to do, what it offers, what it costs. */

import { ActionIcon, Card as Box, Button, Menu, Tooltip, VisuallyHidden } from '@mantine/core'
import { CubeIcon, DotsVerticalIcon, ExclamationTriangleIcon, GlobeIcon, ReloadIcon } from '@radix-ui/react-icons'
import type { ApiParams, ServerCard } from 'portico/web-api'
import { useState } from 'react'
import { useNow } from '../app/ago.tsx'
import { useOnline } from '../app/data/events.ts'
import { type Question, useQuestions } from '../app/data/question-store.ts'
import { showDone, useAction } from '../app/data/use-api.ts'
import { go } from '../app/route.ts'
import { toAgo, toCount, toDuration, toSize, toVisible } from '../app/text/text.ts'
import { Chip, Note } from '../app/tone.tsx'
import { RemoveServer } from './remove-server.tsx'
import { isRemote, lookOf } from './server-state.ts'
import classes from './servers.module.css'

export function Card({ server }: { readonly server: ServerCard }) {
  const { name, state, serverInfo, version } = server
  // Nobody knows how it is while the program behind the page is away.
  const look = useOnline() ? lookOf(server) : AWAY
  return (
    <Box component="article" className={classes.card} aria-label={`Server ${name}`} data-state={state.state}>
      <header className={classes.cardHead}>
        <span className={classes.emblem} data-tone={look.tone} aria-hidden="true">
          {isRemote(server) ? <GlobeIcon width={18} height={18} /> : <CubeIcon width={18} height={18} />}
        </span>
        <div className={classes.names}>
          <h2 className={classes.name}>{toVisible(name)}</h2>
          <div className={classes.sub}>
            {server.builtIn && <span>built in</span>}
            {serverInfo !== undefined && (
              <span>
                {toVisible(serverInfo.title ?? serverInfo.name)} {toVisible(serverInfo.version)}
              </span>
            )}
            {version !== undefined && <span>MCP {version}</span>}
          </div>
        </div>
        <Chip tone={look.tone}>{look.word}</Chip>
      </header>
      <Trouble server={server} />
      <Offers server={server} />
      <Costs server={server} />
      <Actions server={server} />
    </Box>
  )
}

const AWAY = { tone: 'calm', word: 'Unknown' } as const

function Trouble({ server }: { readonly server: ServerCard }) {
  const { name, state, warnings, items } = server
  const { tone } = lookOf(server)
  const now = useNow()
  const asked = useQuestions().questions?.find(({ body }) => isAboutConnecting(body, name))
  return (
    <>
      {state.reason !== undefined && (
        <Note
          tone={tone === 'good' ? 'calm' : tone}
          title={toVisible(state.reason)}
          actions={
            asked !== undefined ? (
              <Button size="compact-sm" onClick={() => go('/inbox', { id: asked.id })}>
                Review
              </Button>
            ) : (
              state.state === 'quarantined' && <Compare server={name} />
            )
          }
        >
          {state.remedy !== undefined && toVisible(state.remedy)}
          {state.retryAt !== undefined && state.retryAt > now && <div>Next try {toAgo(state.retryAt, now)}.</div>}
        </Note>
      )}
      {/* A server that is in another state tells of that first. */}
      {items.quarantined > 0 && state.state !== 'quarantined' && (
        <Note
          tone="warn"
          title={`${toCount(items.quarantined, 'definition')} changed since you allowed ${items.quarantined === 1 ? 'it' : 'them'}`}
          actions={<Compare server={name} />}
        />
      )}
      {warnings.length > 0 && (
        <button type="button" className={classes.warnings} onClick={() => go('/servers', { open: name })}>
          <ExclamationTriangleIcon aria-hidden="true" />
          {warnings.length === 1 ? toVisible(warnings[0] ?? '') : `${warnings.length} warnings about its command`}
        </button>
      )}
    </>
  )
}

function Compare({ server }: { readonly server: string }) {
  return (
    <Button size="compact-sm" onClick={() => go('/servers', { open: server, tab: 'changes' })}>
      Compare
    </Button>
  )
}

function isAboutConnecting(body: Question['body'], server: string): boolean {
  return body.kind === 'approval' && body.effect.kind === 'connect' && body.effect.server === server
}

function Offers({ server: { name, state, items } }: { readonly server: ServerCard }) {
  const kinds = [
    ['/tools', items.tools, 'tool'],
    ['/resources', items.resources, 'resource'],
    ['/prompts', items.prompts, 'prompt'],
  ] as const
  // Nothing is known yet of a server that was never reached.
  if (state.state !== 'ready' && kinds.every(([, count]) => count === 0)) return null
  return (
    <div className={classes.offers}>
      {kinds.map(([path, count, word]) => (
        <a key={word} className={classes.offer} href={`#${path}?server=${encodeURIComponent(name)}`}>
          <strong>{count.toLocaleString()}</strong> <span>{count === 1 ? word : `${word}s`}</span>
          <VisuallyHidden> of {toVisible(name)}</VisuallyHidden>
        </a>
      ))}
    </div>
  )
}

function Costs({ server }: { readonly server: ServerCard }) {
  const { latencyMs, processes, memoryBytes, calls, errors, connections } = server
  const facts = [
    latencyMs !== undefined && `${toDuration(latencyMs)} latency`,
    processes !== undefined && processes > 0 && toCount(processes, 'process', 'processes'),
    memoryBytes !== undefined && toSize(memoryBytes),
    connections > 1 && toCount(connections, 'connection'),
    calls > 0 && toCount(calls, 'call'),
  ].filter((fact) => typeof fact === 'string')
  if (facts.length === 0 && errors === 0) return null
  return (
    <div className={classes.costs}>
      {facts.map((fact) => (
        <span key={fact}>{fact}</span>
      ))}
      {errors > 0 && <span data-bad="true">{toCount(errors, 'error')}</span>}
    </div>
  )
}

function Actions({ server }: { readonly server: ServerCard }) {
  const { name, state } = server
  const { run, busy } = useAction('servers.set')
  const [removing, setRemoving] = useState(false)
  const set = async (action: ApiParams<'servers.set'>['action'], done: string) => {
    if ((await run({ server: name, action })) !== undefined) showDone(done, name)
  }
  const isOff = state.state === 'disabled'
  return (
    <footer className={classes.actions}>
      {state.state === 'needs-sign-in' && (
        <Button
          loading={busy}
          onClick={() => {
            void run({ server: name, action: 'sign-in' })
            go('/servers', { open: name, tab: 'sign-in' })
          }}
        >
          Sign in
        </Button>
      )}
      {isOff && (
        <Button loading={busy} onClick={() => void set('enable', 'Enabled')}>
          Enable
        </Button>
      )}
      {(state.state === 'failed' || state.state === 'degraded') && (
        <Button variant="light" onClick={() => go('/servers', { open: name, tab: 'doctor' })}>
          Diagnose
        </Button>
      )}
      <Button variant="default" onClick={() => go('/servers', { open: name })} aria-label={`Details of ${name}`}>
        Details
      </Button>
      <span className={classes.gap} />
      {!isOff && (
        <Tooltip label="Restart">
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            loading={busy}
            onClick={() => void set('restart', 'Restarted')}
            aria-label={`Restart ${name}`}
          >
            <ReloadIcon />
          </ActionIcon>
        </Tooltip>
      )}
      <MoreMenu server={server} set={set} onRemove={() => setRemoving(true)} />
      <RemoveServer server={server} opened={removing} onClose={() => setRemoving(false)} />
    </footer>
  )
}

interface MoreMenuProps {
  readonly server: ServerCard
  readonly set: (action: ApiParams<'servers.set'>['action'], done: string) => Promise<void>
  readonly onRemove: () => void
}

function MoreMenu({ server, set, onRemove }: MoreMenuProps) {
  const { name, state } = server
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={`More about ${name}`}>
          <DotsVerticalIcon />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => go('/servers', { open: name, tab: 'doctor' })}>Doctor</Menu.Item>
        <Menu.Item onClick={() => go('/servers', { open: name, tab: 'logs' })}>Output</Menu.Item>
        <Menu.Item onClick={() => go('/timeline', { filter: `server:${name}` })}>Messages</Menu.Item>
        {isRemote(server) && <Menu.Item onClick={() => void set('sign-out', 'Signed out')}>Sign out</Menu.Item>}
        {state.state !== 'disabled' && <Menu.Item onClick={() => void set('disable', 'Disabled')}>Disable</Menu.Item>}
        {!server.builtIn && (
          <>
            <Menu.Divider />
            <Menu.Item color="red" onClick={onRemove}>
              Remove…
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}
