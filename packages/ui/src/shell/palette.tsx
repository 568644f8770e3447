/** One field that finds screens, servers, what servers offer, and things to do. */

import type { MantineColorScheme } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { Spotlight, type SpotlightActionGroupData } from '@mantine/spotlight'
import {
  CubeIcon,
  FileTextIcon,
  Half2Icon,
  KeyboardIcon,
  LightningBoltIcon,
  MagnifyingGlassIcon,
  PlusIcon,
  ReaderIcon,
} from '@radix-ui/react-icons'
import { useState } from 'react'
import { useServers } from '../app/data/server-store.ts'
import { useApi } from '../app/data/use-api.ts'
import { go } from '../app/route.ts'
import { lookOf } from '../servers/server-state.ts'
import { SCREENS } from './screens.tsx'

interface PaletteProps {
  readonly scheme: MantineColorScheme
  readonly onScheme: (scheme: MantineColorScheme) => void
  readonly onHelp: () => void
}

const MAX_FOUND = 12
const PLACES = { tool: '/tools', prompt: '/prompts', resource: '/resources', template: '/resources' } as const

export function Palette({ scheme, onScheme, onHelp }: PaletteProps) {
  const [query, setQuery] = useState('')
  const [wanted] = useDebouncedValue(query.trim(), 120)
  const { servers = [] } = useServers()
  const found = useApi('items.list', wanted.length < 2 ? undefined : { query: wanted })
  const items = wanted.length < 2 ? [] : (found.data?.items ?? []).slice(0, MAX_FOUND)
  const actions: SpotlightActionGroupData[] = [
    screenGroup(),
    actionGroup({ scheme, onScheme, onHelp }),
    {
      group: 'Servers',
      actions: servers.map((server) => ({
        id: `server ${server.name}`,
        label: server.name,
        description: `${lookOf(server).word} · ${server.shown.slice(0, 90)}`,
        leftSection: <CubeIcon width={18} height={18} />,
        onClick: () => go('/servers', { open: server.name }),
      })),
    },
    {
      group: 'Offered by servers',
      actions: items.map(({ kind, name, server, definition }) => ({
        id: `item ${kind} ${server} ${name}`,
        label: name,
        description: definition.description?.slice(0, 110),
        // What was found by the program is shown even where the words differ.
        keywords: [query, server],
        leftSection: ICONS[kind],
        onClick: () => go(PLACES[kind], { name, server }),
      })),
    },
  ]
  return (
    <Spotlight
      actions={actions.filter((group) => group.actions.length > 0)}
      shortcut={['mod + K']}
      query={query}
      onQueryChange={setQuery}
      nothingFound="No match"
      highlightQuery
      scrollable
      maxHeight={460}
      searchProps={{
        leftSection: <MagnifyingGlassIcon width={20} height={20} />,
        placeholder: 'Find a screen, server, tool, or something to do',
        'aria-label': 'Find anything',
      }}
    />
  )
}

function screenGroup(): SpotlightActionGroupData {
  return {
    group: 'Screens',
    actions: SCREENS.map(({ path, title, key, icon: Icon }) => ({
      id: `screen ${path}`,
      label: title,
      leftSection: <Icon width={18} height={18} />,
      rightSection: <span aria-hidden="true">g {key}</span>,
      onClick: () => go(path),
    })),
  }
}

function actionGroup({ scheme, onScheme, onHelp }: PaletteProps): SpotlightActionGroupData {
  return {
    group: 'Actions',
    actions: [
      act('Add a server', 'A command, an address, or from another program', <PlusIcon />, () =>
        go('/servers', { add: 'paste' }),
      ),
      act('Import servers from other programs', 'Editors and assistants on this machine', <PlusIcon />, () =>
        go('/servers', { add: 'import' }),
      ),
      act('Explain a decision', 'Which rule decides, and why', <MagnifyingGlassIcon />, () =>
        go('/policy', { tab: 'explain' }),
      ),
      act('Search the audit log', 'Everything that was decided and done', <MagnifyingGlassIcon />, () =>
        go('/policy', { tab: 'audit' }),
      ),
      act('Switch between light and dark', `Now: ${scheme}`, <Half2Icon />, () => onScheme(next(scheme))),
      act('Keyboard shortcuts', 'All keys', <KeyboardIcon />, onHelp),
    ],
  }
}

const ICONS = {
  tool: <LightningBoltIcon width={18} height={18} />,
  prompt: <ReaderIcon width={18} height={18} />,
  resource: <FileTextIcon width={18} height={18} />,
  template: <FileTextIcon width={18} height={18} />,
} as const

function act(label: string, description: string, leftSection: React.ReactNode, onClick: () => void) {
  return { id: `do ${label}`, label, description, leftSection, onClick }
}

function next(scheme: MantineColorScheme): MantineColorScheme {
  const isDark = scheme === 'dark' || document.documentElement.dataset.mantineColorScheme === 'dark'
  return isDark ? 'light' : 'dark'
}
