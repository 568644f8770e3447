/** Every screen of the workbench: where it is, what it is called, how it is reached by keyboard. Loaded when opened. */

import {
  ActivityLogIcon,
  ChatBubbleIcon,
  CubeIcon,
  EnvelopeClosedIcon,
  FileTextIcon,
  LightningBoltIcon,
  LockClosedIcon,
  ReaderIcon,
  StopwatchIcon,
} from '@radix-ui/react-icons'
import { type ComponentType, lazy } from 'react'

export interface Screen {
  /** The hash that shows it: `#/servers`. */
  readonly path: string
  readonly title: string
  /** Pressed after `g`. */
  readonly key: string
  readonly icon: ComponentType<{ width?: number; height?: number }>
  readonly component: ComponentType
}

export const SCREENS: readonly Screen[] = [
  {
    path: '/servers',
    title: 'Servers',
    key: 's',
    icon: CubeIcon,
    component: lazy(async () => ({ default: (await import('../servers/screen.tsx')).ServersScreen })),
  },
  {
    path: '/tools',
    title: 'Tools',
    key: 't',
    icon: LightningBoltIcon,
    component: lazy(async () => ({ default: (await import('../items/screens.tsx')).ToolsScreen })),
  },
  {
    path: '/resources',
    title: 'Resources',
    key: 'r',
    icon: FileTextIcon,
    component: lazy(async () => ({ default: (await import('../items/screens.tsx')).ResourcesScreen })),
  },
  {
    path: '/prompts',
    title: 'Prompts',
    key: 'p',
    icon: ReaderIcon,
    component: lazy(async () => ({ default: (await import('../items/screens.tsx')).PromptsScreen })),
  },
  {
    path: '/chat',
    title: 'Chat',
    key: 'c',
    icon: ChatBubbleIcon,
    component: lazy(async () => ({ default: (await import('../chat/screen.tsx')).ChatScreen })),
  },
  {
    path: '/tasks',
    title: 'Tasks',
    key: 'k',
    icon: StopwatchIcon,
    component: lazy(async () => ({ default: (await import('../tasks/screen.tsx')).TasksScreen })),
  },
  {
    path: '/inbox',
    title: 'Inbox',
    key: 'i',
    icon: EnvelopeClosedIcon,
    component: lazy(async () => ({ default: (await import('../inbox/screen.tsx')).InboxScreen })),
  },
  {
    path: '/timeline',
    title: 'Timeline',
    key: 'l',
    icon: ActivityLogIcon,
    component: lazy(async () => ({ default: (await import('../timeline/screen.tsx')).TimelineScreen })),
  },
  {
    path: '/policy',
    title: 'Policy',
    key: 'y',
    icon: LockClosedIcon,
    component: lazy(async () => ({ default: (await import('../policy/screen.tsx')).PolicyScreen })),
  },
]
