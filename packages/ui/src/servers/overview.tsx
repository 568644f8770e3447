/** What a server is: the whole command, where it is configured, what it says of itself, what it is allowed. */

import { Button, Group, Stack, Title } from '@mantine/core'
import type { ServerCard } from 'portico/web-api'
import { type ReactNode, useState } from 'react'
import { showDone, useAction } from '../app/data/use-api.ts'
import { toAgo, toCount, toDuration, toSize, toVisible } from '../app/text/text.ts'
import { Note } from '../app/tone.tsx'
import { CommandText, WarningList } from './command-text.tsx'
import { RemoveServer } from './remove-server.tsx'
import { Roots } from './roots.tsx'
import { lookOf } from './server-state.ts'
import classes from './servers.module.css'

export function Overview({ server }: { readonly server: ServerCard }) {
  const { name, state, shown, warnings, instructions, stderrTail } = server
  const look = lookOf(server)
  return (
    <Stack gap="md">
      {state.reason !== undefined && (
        <Note tone={look.tone === 'good' ? 'calm' : look.tone} title={toVisible(state.reason)}>
          {state.remedy !== undefined && toVisible(state.remedy)}
        </Note>
      )}
      <WarningList warnings={warnings} />
      <section>
        <Title order={3} size="h4" mb={6}>
          {server.config.target.kind === 'stdio' ? 'What it runs' : 'Where it is'}
        </Title>
        <CommandText text={shown} />
      </section>
      <dl className={classes.facts}>
        {factsOf(server).map(([term, value]) => (
          <div key={term}>
            <dt>{term}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <Roots key={`roots of ${name}`} server={name} roots={server.config.settings.roots} />
      {instructions !== undefined && (
        <section>
          <Title order={3} size="h4" mb={6}>
            What it tells the model
          </Title>
          <pre className={classes.pre}>{toVisible(instructions)}</pre>
        </section>
      )}
      {stderrTail !== undefined && (
        <section>
          <Title order={3} size="h4" mb={6}>
            Last lines of its error output
          </Title>
          <pre className={classes.pre}>{toVisible(lastLines(stderrTail, 12))}</pre>
        </section>
      )}
      <Buttons server={server} key={name} />
    </Stack>
  )
}

function Buttons({ server }: { readonly server: ServerCard }) {
  const { run, busy } = useAction('servers.set')
  const [removing, setRemoving] = useState(false)
  const isOff = server.state.state === 'disabled'
  const set = async (action: Parameters<typeof run>[0]['action'], done: string) => {
    if ((await run({ server: server.name, action })) !== undefined) showDone(done, server.name)
  }
  return (
    <Group gap="xs">
      {!isOff && (
        <Button variant="default" loading={busy} onClick={() => void set('restart', 'Restarted')}>
          Restart
        </Button>
      )}
      <Button
        variant="default"
        loading={busy}
        onClick={() => void set(isOff ? 'enable' : 'disable', isOff ? 'Enabled' : 'Disabled')}
      >
        {isOff ? 'Enable' : 'Disable'}
      </Button>
      {!server.builtIn && (
        <Button variant="subtle" color="red" onClick={() => setRemoving(true)}>
          Remove…
        </Button>
      )}
      <RemoveServer server={server} opened={removing} onClose={() => setRemoving(false)} />
    </Group>
  )
}

function factsOf(server: ServerCard): readonly (readonly [string, ReactNode])[] {
  const { config, serverInfo, state, pid, latencyMs, memoryBytes, processes } = server
  const { place, settings } = config
  const facts: (readonly [string, ReactNode] | false)[] = [
    [`${lookOf(server).word} since`, toAgo(state.since)],
    serverInfo !== undefined && [
      'Reported name',
      toVisible(`${serverInfo.title ?? serverInfo.name} ${serverInfo.version}`),
    ],
    server.version !== undefined && ['Protocol', server.version],
    latencyMs !== undefined && ['Latency', toDuration(latencyMs)],
    ['Calls', `${server.calls.toLocaleString()}${server.errors > 0 ? `, ${toCount(server.errors, 'error')}` : ''}`],
    pid !== undefined && [
      'Process',
      `${pid}${processes !== undefined ? `, ${toCount(processes, 'process', 'processes')}` : ''}`,
    ],
    memoryBytes !== undefined && ['Memory', toSize(memoryBytes)],
    ['Connections', String(server.connections)],
    [
      'Trusted',
      settings.trusted
        ? 'yes: rules use what it says about its tools'
        : 'no: rules ignore what it says about its tools',
    ],
    ['Configured in', toVisible(`${place.file}${place.line === undefined ? '' : `:${place.line}`} · ${place.path}`)],
  ]
  return facts.filter((fact) => fact !== false)
}

function lastLines(text: string, count: number): string {
  return text.trimEnd().split('\n').slice(-count).join('\n')
}
