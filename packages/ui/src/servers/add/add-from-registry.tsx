/** The official registry, searched while typing. What an entry would run is shown before it is added. */

import { Anchor, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { MagnifyingGlassIcon } from '@radix-ui/react-icons'
import type { RegistryEntry } from 'portico/web-api'
import { useState } from 'react'
import { useServers } from '../../app/data/server-store.ts'
import { useApi } from '../../app/data/use-api.ts'
import { Empty, FailureNote, Waiting } from '../../app/feedback.tsx'
import { toVisible } from '../../app/text/text.ts'
import classes from '../servers.module.css'
import type { WayProps } from './add-by-form.tsx'
import { previewEntry, toFreeName } from './entry-preview.ts'

export function AddFromRegistry({ active, onProposal }: WayProps) {
  const [typed, setTyped] = useState('')
  const [query] = useDebouncedValue(typed.trim(), 250)
  const { data, error, loading, reload } = useApi('servers.registry', active && query !== '' ? { query } : undefined)
  return (
    <Stack gap="md">
      <TextInput
        label="Search the registry"
        placeholder="github, postgres, weather…"
        leftSection={<MagnifyingGlassIcon />}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      {error !== undefined && <FailureNote error={error} onRetry={reload} />}
      <div aria-live="polite">
        {query === '' && <Text c="dimmed">Anybody may publish there: being listed says nothing about being safe.</Text>}
        {query !== '' && data === undefined && loading && <Waiting rows={3} height={80} />}
        {query !== '' && data?.entries.length === 0 && (
          <Empty icon={<MagnifyingGlassIcon width={22} height={22} />} title={`No server found for “${query}”`}>
            Try a single word.
          </Empty>
        )}
        {query !== '' && data !== undefined && data.entries.length > 0 && (
          <Stack gap="sm">
            {data.entries.map((entry) => (
              <Entry key={`${entry.name} ${entry.version}`} entry={entry} onProposal={onProposal} />
            ))}
            <Text c="dimmed" size="xs">
              From {toVisible(data.source)}
            </Text>
          </Stack>
        )}
      </div>
    </Stack>
  )
}

function Entry({ entry, onProposal }: { readonly entry: RegistryEntry } & Omit<WayProps, 'active'>) {
  const { name, description, version, repository, ways } = entry
  const { servers = [] } = useServers()
  const look = (way: RegistryEntry['ways'][number]) => {
    // Names there begin with whose they are: `io.example/weather`.
    const suggested = toFreeName(name.split('/').at(-1) ?? name, new Set(servers.map((server) => server.name)))
    const { warnings } = previewEntry(suggested, way.entry)
    onProposal({
      previews: [{ name, shown: way.shown, warnings }],
      suggested,
      send: (call, chosen) => call('servers.add', { name: chosen, entry: way.entry }),
    })
  }
  return (
    <article className={classes.entry}>
      <div className={classes.entryHead}>
        <strong>{toVisible(name)}</strong>
        <Text c="dimmed" size="xs">
          {toVisible(version)}
        </Text>
        <span className={classes.gap} />
        <Source address={repository} />
      </div>
      <Text size="sm" mb="xs">
        {toVisible(description)}
      </Text>
      <Group gap="xs">
        {ways.map((way) => (
          <Button key={way.label} size="compact-sm" variant="light" onClick={() => look(way)}>
            Review {toVisible(way.label)}
          </Button>
        ))}
        {ways.length === 0 && <Text c="dimmed">It cannot be added from here.</Text>}
      </Group>
    </article>
  )
}

/** Only an encrypted web address becomes a link, and its host is what is read. */
function Source({ address }: { readonly address: string | undefined }) {
  if (address === undefined || !URL.canParse(address)) return null
  const { protocol, host, href } = new URL(address)
  if (protocol !== 'https:') return null
  return (
    <Anchor href={href} target="_blank" rel="noreferrer noopener" size="xs">
      Source at {host}
    </Anchor>
  )
}
