/** All servers: how each one is, what it wants, and how to add another. */

import { Button, SimpleGrid, TextInput } from '@mantine/core'
import { CubeIcon, MagnifyingGlassIcon, PlusIcon } from '@radix-ui/react-icons'
import type { ServerCard } from 'portico/web-api'
import { useState } from 'react'
import { useOnline } from '../app/data/events.ts'
import { loadServers, useServers } from '../app/data/server-store.ts'
import { Empty, FailureNote, Waiting } from '../app/feedback.tsx'
import { Page } from '../app/page.tsx'
import { go, useRoute } from '../app/route.ts'
import { AddServer } from './add/add-server.tsx'
import { Attention } from './attention.tsx'
import { Card } from './card.tsx'
import { ServerDrawer } from './server-drawer.tsx'
import { sortServers, summarise } from './server-state.ts'
import { TourOffer } from './tour-offer.tsx'

/** From so many servers on there is a field to filter them. */
const MANY = 7

export function ServersScreen() {
  const { servers, problems, error } = useServers()
  const { query } = useRoute()
  const [filter, setFilter] = useState('')
  const isMany = (servers?.length ?? 0) >= MANY
  const opened = servers?.find(({ name }) => name === query.get('open'))
  return (
    <Page
      title="Servers"
      lead={leadOf(servers, useOnline())}
      actions={
        <>
          {isMany && (
            <TextInput
              aria-label="Filter servers"
              flex={1}
              placeholder="Filter"
              leftSection={<MagnifyingGlassIcon />}
              value={filter}
              onChange={(event) => setFilter(event.currentTarget.value)}
            />
          )}
          <Button leftSection={<PlusIcon />} onClick={() => go('/servers', { add: 'paste' })}>
            Add server
          </Button>
        </>
      }
    >
      <TourOffer />
      <Attention problems={problems} />
      {error !== undefined && <FailureNote error={error} onRetry={() => void loadServers()} />}
      {servers === undefined ? error === undefined && <Waiting rows={3} height={180} /> : null}
      {servers?.length === 0 && <NoServers />}
      {servers !== undefined && servers.length > 0 && <Cards servers={servers} filter={filter} />}
      <AddServer tab={query.get('add') ?? undefined} />
      <ServerDrawer server={opened} tab={query.get('tab') ?? undefined} />
    </Page>
  )
}

function leadOf(servers: readonly ServerCard[] | undefined, online: boolean): string {
  if (servers === undefined || servers.length === 0) return 'Everything this host can reach.'
  return online ? summarise(servers) : 'Their state is unknown while the program is not running.'
}

function Cards({ servers, filter }: { readonly servers: readonly ServerCard[]; readonly filter: string }) {
  const words = filter.trim().toLowerCase()
  const found = sortServers(servers).filter(({ name, shown }) => `${name} ${shown}`.toLowerCase().includes(words))
  if (found.length === 0) {
    return (
      <Empty icon={<MagnifyingGlassIcon width={22} height={22} />} title={`No server matches “${filter}”`}>
        The filter looks at names and commands.
      </Empty>
    )
  }
  return (
    <SimpleGrid cols={{ base: 1, sm: 1, md: 2, xl: 3 }} spacing="md">
      {found.map((server) => (
        <Card key={server.name} server={server} />
      ))}
    </SimpleGrid>
  )
}

function NoServers() {
  return (
    <Empty
      icon={<CubeIcon width={22} height={22} />}
      title="No servers yet"
      actions={
        <>
          <Button onClick={() => go('/servers', { add: 'paste' })}>Add a server</Button>
          <Button variant="default" onClick={() => go('/servers', { add: 'import' })}>
            Import from other programs
          </Button>
        </>
      }
    >
      A server gives your model tools, files and prompts. Add one by its command or address, or take over those that
      your editor already has.
    </Empty>
  )
}
