/** The frame of the three item screens: search and filters, the list, and what is chosen. The address holds the choice. */

import { CloseButton, SegmentedControl, Select, Text, TextInput } from '@mantine/core'
import { useDebouncedValue, useHotkeys } from '@mantine/hooks'
import { MagnifyingGlassIcon } from '@radix-ui/react-icons'
import { type ReactNode, useCallback, useRef, useState } from 'react'
import { useServers } from '../app/data/server-store.ts'
import { Empty, FailureNote, Waiting } from '../app/feedback.tsx'
import { Page } from '../app/page.tsx'
import { go, useRoute } from '../app/route.ts'
import { toCount, toVisible } from '../app/text/text.ts'
import { ListDetail } from '../parts/list-detail.tsx'
import { VirtualList } from '../parts/virtual-list.tsx'
import { HistoryButton } from './history-drawer.tsx'
import classes from './item-browser.module.css'
import { ITEM_HEIGHT, ItemRow } from './item-row.tsx'
import { type Item, keyOf, useWatches } from './item-store.ts'
import { type ItemsState, useChosenItem, useItems } from './use-items.ts'

interface KindChoice {
  readonly kind: Item['kind']
  readonly label: string
}

interface ItemBrowserProps {
  readonly title: string
  readonly lead: string
  readonly path: string
  /** More than one where the screen shows several kinds. */
  readonly kinds: readonly [KindChoice, ...KindChoice[]]
  readonly icon: ReactNode
  readonly history: 'tool' | 'resource' | 'prompt'
  readonly panel: (item: Item) => ReactNode
  /** Something that is no item of the list, such as an address to read. */
  readonly other?: ReactNode
  /** For a name that no server lists. */
  readonly missing?: (name: string) => ReactNode
  /** What the empty right side says. */
  readonly hint: string
}

export function ItemBrowser(props: ItemBrowserProps) {
  const { title, lead, path, kinds, icon, history, other, hint } = props
  const { query: route } = useRoute()
  const [typed, setTyped] = useState('')
  const [query] = useDebouncedValue(typed.trim(), 150)
  const kind = kinds.find((one) => one.kind === route.get('kind'))?.kind ?? kinds[0].kind
  const name = route.get('name')
  // Beside a name, `server` says whose item it is, and `in` what the list is narrowed to.
  const server = route.get('in') ?? (name === null ? route.get('server') : null)
  const list = useItems({ kind, query, server: server ?? undefined })
  const { item: chosen, isMissing } = useChosenItem(list.items, kind, name, route.get('server'))
  const detail = other ?? detailOf(props, chosen, isMissing && !list.isFirst ? name : null)
  const shownKind = kinds.length > 1 ? kind : undefined
  const narrowTo = (next: string | null, nextKind = shownKind) =>
    go(path, { kind: nextKind, server: next ?? undefined })
  const choose = (item: Item | undefined) =>
    item === undefined
      ? narrowTo(server)
      : go(path, { kind: shownKind, name: item.name, server: item.server, in: server ?? undefined })
  const enterList = (chooses: boolean) => {
    if (chooses || chosen === undefined) choose(list.items[0])
    document.querySelector<HTMLElement>(`[role="listbox"][aria-label="${title}"]`)?.focus()
  }
  return (
    <Page title={title} lead={lead} fill actions={<HistoryButton kind={history} />}>
      <ListDetail
        listLabel={`${title}: list`}
        detailLabel={`${title}: chosen`}
        backLabel={`All ${title.toLowerCase()}`}
        onBack={() => choose(undefined)}
        detail={detail}
        empty={<Hint icon={icon} hint={hint} />}
        list={
          <>
            <Filters
              title={title}
              typed={typed}
              onType={setTyped}
              server={server}
              onServer={(next) => narrowTo(next)}
              kinds={kinds}
              kind={kind}
              onKind={(next) => narrowTo(server, next)}
              onEnterList={enterList}
            />
            <ItemList
              title={title}
              list={list}
              chosen={chosen}
              isFiltered={query !== '' || server !== null}
              icon={icon}
              onChoose={choose}
            />
          </>
        }
      />
    </Page>
  )
}

/** What is chosen, or that there is nothing of the name that was looked for in vain. */
function detailOf(
  { panel, missing, icon }: ItemBrowserProps,
  chosen: Item | undefined,
  lost: string | null,
): ReactNode {
  if (chosen !== undefined) return <div key={keyOf(chosen)}>{panel(chosen)}</div>
  return lost === null ? undefined : (missing?.(lost) ?? <NotFound name={lost} icon={icon} />)
}

function Hint({ icon, hint }: Pick<ItemBrowserProps, 'icon' | 'hint'>) {
  return (
    <Empty icon={icon} title={hint}>
      Choose one from the list. <kbd>/</kbd> searches, arrows move.
    </Empty>
  )
}

function NotFound({ name, icon }: { readonly name: string; readonly icon: ReactNode }) {
  return (
    <div className={classes.pad}>
      <Empty icon={icon} title="Not found">
        {toVisible(name)} is not offered now. Its server may be stopped, or the name may have changed.
      </Empty>
    </div>
  )
}

interface FiltersProps {
  readonly title: string
  readonly typed: string
  readonly onType: (text: string) => void
  readonly server: string | null
  readonly onServer: (server: string | null) => void
  readonly kinds: readonly KindChoice[]
  readonly kind: Item['kind']
  readonly onKind: (kind: Item['kind']) => void
  /** The keyboard goes on to the list; `chooses` takes its first entry. */
  readonly onEnterList: (chooses: boolean) => void
}

function Filters(props: FiltersProps) {
  const { title, typed, onType, server, onServer, kinds, kind, onKind, onEnterList } = props
  const { servers = [] } = useServers()
  const field = useRef<HTMLInputElement>(null)
  useHotkeys([['/', () => field.current?.focus()]])
  return (
    <search className={classes.filters}>
      <TextInput
        ref={field}
        aria-label={`Search ${title.toLowerCase()}`}
        placeholder={`Search ${title.toLowerCase()}`}
        leftSection={<MagnifyingGlassIcon aria-hidden="true" />}
        rightSection={
          typed === '' ? undefined : <CloseButton aria-label="Clear the search" onClick={() => onType('')} />
        }
        value={typed}
        onChange={(event) => onType(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown' && event.key !== 'Enter') return
          event.preventDefault()
          onEnterList(event.key === 'Enter')
        }}
      />
      <div className={classes.second}>
        <Select
          aria-label="Server"
          placeholder="All servers"
          size="xs"
          clearable
          searchable
          data={servers.map(({ name }) => name)}
          value={server}
          onChange={onServer}
        />
        {kinds.length > 1 && (
          <SegmentedControl
            size="xs"
            aria-label="Kind"
            data={kinds.map((one) => ({ value: one.kind, label: one.label }))}
            value={kind}
            onChange={onKind}
          />
        )}
      </div>
    </search>
  )
}

interface ItemListProps {
  readonly title: string
  readonly list: ItemsState
  readonly chosen: Item | undefined
  readonly isFiltered: boolean
  readonly icon: ReactNode
  readonly onChoose: (item: Item | undefined) => void
}

function ItemList({ title, list, chosen, isFiltered, icon, onChoose }: ItemListProps) {
  const { items, total, missing, error, isFirst, more, reload } = list
  const watches = useWatches()
  const keyAt = useCallback((index: number) => (items[index] === undefined ? index : keyOf(items[index])), [items])
  const onRange = useCallback(
    (_first: number, last: number) => {
      if (last >= items.length - 20) more()
    },
    [items.length, more],
  )
  if (error !== undefined) {
    return (
      <div className={classes.pad}>
        <FailureNote error={error} onRetry={reload} />
      </div>
    )
  }
  if (isFirst) {
    return (
      <div className={classes.pad}>
        <Waiting rows={6} height={48} />
      </div>
    )
  }
  if (items.length === 0) return <NoItems title={title} missing={missing} isFiltered={isFiltered} icon={icon} />
  return (
    <>
      <VirtualList
        label={title}
        count={items.length}
        rowHeight={ITEM_HEIGHT}
        keyOf={keyAt}
        selected={chosen === undefined ? -1 : items.findIndex((item) => keyOf(item) === keyOf(chosen))}
        onSelect={(index) => onChoose(items[index])}
        onRange={onRange}
        row={(index) => {
          const item = items[index]
          return item === undefined ? null : <ItemRow item={item} watch={watches.get(`${item.server} ${item.name}`)} />
        }}
      />
      <footer className={classes.foot}>
        <Text size="xs" c="dimmed" role="status">
          {toCount(total, 'item')}
          {items.length < total && `, ${items.length.toLocaleString()} loaded`}
        </Text>
        <MissingNote missing={missing} />
      </footer>
    </>
  )
}

interface NoItemsProps extends Pick<ItemListProps, 'title' | 'isFiltered' | 'icon'>, Pick<ItemsState, 'missing'> {}

function NoItems({ title, missing, isFiltered, icon }: NoItemsProps) {
  return (
    <div className={classes.pad}>
      <MissingNote missing={missing} />
      <Empty icon={icon} title={isFiltered ? 'No match' : `No ${title.toLowerCase()} yet`}>
        {isFiltered ? (
          'Try other words, or all servers.'
        ) : (
          <>
            Connect a server that offers some on the <a href="#/servers">servers</a> screen.
          </>
        )}
      </Empty>
    </div>
  )
}

function MissingNote({ missing }: { readonly missing: ItemsState['missing'] }) {
  const names = missing.map(({ server }) => server).join(', ')
  const [closed, setClosed] = useState('')
  if (missing.length === 0 || closed === names) return null
  return (
    <div className={classes.missing} role="status">
      <ul aria-label="Not connected">
        {missing.map(({ server, reason }) => (
          <li key={server} title={toVisible(reason)}>
            <strong>{toVisible(server)}</strong>: {toVisible(reason)}
          </li>
        ))}
      </ul>
      <CloseButton size="xs" aria-label="Hide this" onClick={() => setClosed(names)} />
    </div>
  )
}
