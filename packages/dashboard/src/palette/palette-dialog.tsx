/** Command palette: search over incidents, components, pages, actions and views. */
import { useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import {
  Autocomplete,
  Header,
  Input,
  Menu,
  MenuItem,
  MenuSection,
  SearchField,
  useFilter,
} from 'react-aria-components'
import { basePath, dashboardPath } from '../api/client.ts'
import { useComposer } from '../composer/composer-context.ts'
import { useDelayed } from '../composer/use-delayed.ts'
import { Dialog } from '../kit/dialog.tsx'
import fieldClasses from '../kit/field.module.css'
import menuClasses from '../kit/menu.module.css'
import { useSession } from '../session/session.tsx'
import { useTexts } from '../texts/texts.tsx'
import classes from './palette.module.css'
import {
  foundComponentsQuery,
  foundIncidentsQuery,
  foundPagesQuery,
  MIN_SEARCH,
} from './palette-items.ts'
import type { PaletteViewProps } from './palette-props.ts'

interface Entry {
  id: string
  label: string
  detail?: string
  run(): void
}

interface Section {
  title: string
  entries: Entry[]
}

const DELAY_MS = 200

export const PaletteDialog = (props: PaletteViewProps) => {
  const { view, onChange } = props
  const { palette: texts } = useTexts()
  return (
    <Dialog title={texts.title} isOpen={view === 'palette'} onClose={() => onChange(null)}>
      <Search {...props} />
    </Dialog>
  )
}

const Search = (props: PaletteViewProps) => {
  const { palette: texts } = useTexts()
  const [text, setText] = useState('')
  const sections = [...useOwnSections(props, text), ...useFoundSections(text)]
  const entries = sections.flatMap((section) => section.entries)
  const run = (id: unknown) => {
    props.onChange(null)
    entries.find((entry) => entry.id === id)?.run()
  }
  return (
    <Autocomplete inputValue={text} onInputChange={setText}>
      <SearchField aria-label={texts.search} autoFocus>
        <Input
          className={`${fieldClasses.input} ${classes.input}`}
          placeholder={texts.search}
          maxLength={100}
        />
      </SearchField>
      <Menu
        className={classes.results}
        aria-label={texts.results}
        onAction={run}
        renderEmptyState={() => <p className={classes.empty}>{texts.empty}</p>}
      >
        {sections
          .filter((section) => section.entries.length > 0)
          .map((section) => (
            <MenuSection key={section.title} id={section.title} className={menuClasses.section}>
              <Header className={menuClasses.heading}>{section.title}</Header>
              {section.entries.map((entry) => (
                <EntryItem key={entry.id} entry={entry} />
              ))}
            </MenuSection>
          ))}
      </Menu>
    </Autocomplete>
  )
}

const EntryItem = ({ entry: { id, label, detail } }: { entry: Entry }) => (
  <MenuItem id={id} className={menuClasses.item} textValue={label}>
    <bdi>{label}</bdi>
    {detail !== undefined && <span className={classes.detail}>{detail}</span>}
  </MenuItem>
)

/** Actions and views whose name contains the text. */
const useOwnSections = ({ destinations, onChange }: PaletteViewProps, text: string): Section[] => {
  const { palette: texts, composer: composerTexts, account } = useTexts()
  const { contains } = useFilter({ sensitivity: 'base' })
  const composer = useComposer()
  const open = useOpenPath()
  const actions: Entry[] = [
    { id: 'shortcuts', label: texts.shortcuts, run: () => onChange('shortcuts') },
    { id: 'account', label: account.settings, run: () => open('/account') },
    {
      id: 'documentation',
      label: account.documentation,
      run: () => location.assign(`${basePath}/api/docs`),
    },
  ]
  if (composer !== null) {
    actions.unshift({ id: 'compose', label: composerTexts.newIncident, run: composer.open })
  }
  const views = destinations.map(({ to, label }) => ({
    id: `view ${to}`,
    label,
    run: () => open(to),
  }))
  const matching = (entries: Entry[]) => entries.filter(({ label }) => contains(label, text))
  return [
    { title: texts.actions, entries: matching(actions) },
    { title: texts.views, entries: matching(views) },
  ]
}

const useOpenPath = (): ((path: string) => void) => {
  const { history } = useRouter()
  return (path) => history.push(dashboardPath + path)
}

/** Entries that the API finds. */
const useFoundSections = (text: string): Section[] => {
  const {
    palette: texts,
    statusPages: pageTexts,
    incidents: statuses,
    components: names,
  } = useTexts()
  const { can } = useSession()
  const open = useOpenPath()
  const search = useDelayed(text.trim(), DELAY_MS)
  const isLong = search.length >= MIN_SEARCH
  const incidents = useQuery({
    ...foundIncidentsQuery(search),
    enabled: isLong && can('INCIDENTS_VIEW'),
  })
  const components = useQuery({
    ...foundComponentsQuery(search),
    enabled: isLong && can('COMPONENTS_VIEW'),
  })
  const pages = useQuery({
    ...foundPagesQuery(search),
    enabled: isLong && can('STATUS_PAGES_VIEW'),
  })
  const incidentEntries = (incidents.data ?? []).map(({ id, title, status }) => ({
    id,
    label: title,
    detail: statuses[status],
    run: () => open(`/incidents/${id}`),
  }))
  const componentEntries = (components.data ?? []).map(({ id, name, status }) => ({
    id,
    label: name,
    detail: names[status],
    run: () => open(`/components/${id}`),
  }))
  const pageEntries = (pages.data ?? []).map(({ id, name, isPublished }) => ({
    id,
    label: name,
    detail: isPublished ? pageTexts.published : pageTexts.unpublished,
    run: () => open(`/pages/${id}`),
  }))
  return [
    { title: texts.incidents, entries: incidentEntries },
    { title: texts.components, entries: componentEntries },
    { title: texts.pages, entries: pageEntries },
  ]
}
