/** All components as a tree: filter, order, selection and actions on several components. */
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { type ComponentProps, useCallback, useDeferredValue, useMemo, useState } from 'react'
import type { Key } from 'react-aria-components'
import { Problem } from '../app/problem.tsx'
import { Button, buttonClass } from '../kit/button.tsx'
import { Empty, Screen, Skeleton } from '../kit/screen.tsx'
import { lazyComponent, useLoaded } from '../modules/lazy-component.ts'
import { ModuleNote } from '../modules/module-problem.tsx'
import { useSession } from '../session/session.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import type { BulkBarProps } from './bulk-bar.tsx'
import { ComponentFilter } from './component-filter.tsx'
import { ComponentTree } from './component-tree.tsx'
import classes from './components.module.css'
import { MovableTree } from './movable-tree.tsx'
import { allComponentsQuery } from './queries.ts'
import { type ComponentSearch, filterOf } from './search.ts'
import { type ComponentData, filterTree, flatten, treeOf } from './tree.ts'
import { useMoveComponents } from './use-move-components.ts'

const lazyBulkBar = lazyComponent(async () => (await import('./bulk-bar.tsx')).BulkBar)

export const ComponentsScreen = () => {
  const { componentScreens: texts } = useTexts()
  const { plural } = useFormats()
  const { can } = useSession()
  const { data, error, refetch } = useQuery(allComponentsQuery)
  const create = can('COMPONENTS_CREATE') && (
    <Link to="/components/new" className={buttonClass('primary')}>
      {texts.add}
    </Link>
  )
  if (data === undefined) {
    return (
      <Screen title={texts.title}>
        {error === null ? <Skeleton rows={10} /> : <Problem error={error} onRetry={refetch} />}
      </Screen>
    )
  }
  return (
    <Screen title={texts.title} intro={plural(texts.count, data.length)} aside={create}>
      {data.length === 0 ? (
        <Empty title={texts.empty} hint={texts.emptyHint}>
          {create}
        </Empty>
      ) : (
        <FilteredTree components={data} />
      )}
    </Screen>
  )
}

const FilteredTree = ({ components }: { components: readonly ComponentData[] }) => {
  const { componentScreens: texts } = useTexts()
  const navigate = useNavigate()
  const search = useSearch({ from: '/components' })
  const setSearch = useCallback(
    (next: ComponentSearch) => void navigate({ to: '/components', search: next, replace: true }),
    [navigate],
  )
  const shownSearch = useDeferredValue(search)
  const matches = useMemo(() => filterOf(shownSearch), [shownSearch])
  const tree = useMemo(() => treeOf(components), [components])
  const shown = useMemo(
    () => (matches === null ? tree : filterTree(tree, matches)),
    [tree, matches],
  )
  const [chosen, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [collapsed, setCollapsed] = useState<ReadonlySet<Key>>(new Set())
  const selected = useMemo(() => {
    const known = new Set(flatten(shown).map(({ id }) => id))
    return new Set([...chosen].filter((id) => known.has(id)))
  }, [chosen, shown])
  const { move, failure } = useMoveComponents()
  return (
    <section className={classes.list}>
      <ComponentFilter search={search} onChange={setSearch} />
      {shown.length === 0 ? (
        <Empty title={texts.noMatch}>
          <Button onPress={() => setSearch({})}>{texts.clearFilter}</Button>
        </Empty>
      ) : (
        <OrderedTree
          tree={tree}
          shown={shown}
          isFiltered={matches !== null}
          selected={selected}
          onSelect={setSelected}
          collapsed={collapsed}
          onCollapse={setCollapsed}
          onMove={move}
        />
      )}
      <LoadedBulkBar
        tree={tree}
        selected={selected}
        onClear={() => setSelected(new Set())}
        moveFailure={failure}
      />
    </section>
  )
}

const OrderedTree = (props: ComponentProps<typeof MovableTree>) => {
  const { componentScreens: texts } = useTexts()
  const { can } = useSession()
  if (!can('COMPONENTS_UPDATE')) return <ComponentTree {...props} />
  return (
    <>
      {props.isFiltered && <p className={classes.hint}>{texts.move.filtered}</p>}
      <MovableTree {...props} />
    </>
  )
}

const LoadedBulkBar = (props: BulkBarProps) => {
  const isNeeded = props.selected.size > 0 || props.moveFailure !== null
  const { Component, error, retry } = useLoaded(lazyBulkBar, { isNeeded, isLoadedAhead: true })
  if (Component !== null) return <Component {...props} />
  return error === null ? null : <ModuleNote onRetry={retry} />
}
