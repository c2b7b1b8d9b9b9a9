/** Section of the designer: the components of the page, their order, names and groups. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import {
  Button as AriaButton,
  GridList,
  GridListItem,
  Label,
  Radio,
  RadioGroup,
  useDragAndDrop,
} from 'react-aria-components'
import { allComponentsQuery } from '../components/queries.ts'
import { Button } from '../kit/button.tsx'
import { Icon } from '../kit/icon.tsx'
import { LazyAddComboBox } from '../kit/lazy-combo-box.tsx'
import { useSession } from '../session/session.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import classes from './designer.module.css'
import type { DesignerProps } from './designer-props.ts'
import { type EntryPlace, movedEntries, newEntry, numbered } from './entries.ts'
import { EntryDialog } from './entry-dialog.tsx'
import { errorOf, type PageEntry } from './page-draft.ts'

export const ComponentsSection = ({ values, errors, set }: DesignerProps) => {
  const { choice: texts } = useTexts().statusPages
  const { can } = useSession()
  const { data = [] } = useQuery({ ...allComponentsQuery, enabled: can('COMPONENTS_VIEW') })
  const [isChosen, setChosen] = useState(values.components.length > 0)
  const showsList = isChosen || values.components.length > 0
  const names = new Map(data.map(({ id, name }) => [id, name]))
  const change = (entries: readonly PageEntry[]) => set({ components: numbered(entries) })
  const error = errorOf(errors, 'components')
  return (
    <>
      <RadioGroup
        className={classes.group}
        value={showsList ? 'some' : 'all'}
        onChange={(value) => {
          setChosen(value === 'some')
          if (value === 'all') change([])
        }}
      >
        <Label className={classes.label}>{texts.label}</Label>
        <Radio value="all" className={classes.option}>
          <span className={classes.optionTitle}>{texts.all}</span>
          <span className={classes.quiet}>{texts.allHint}</span>
        </Radio>
        <Radio value="some" className={classes.option}>
          <span className={classes.optionTitle}>{texts.some}</span>
          <span className={classes.quiet}>{texts.someHint}</span>
        </Radio>
      </RadioGroup>
      {showsList && (
        <>
          {values.components.length === 0 && <p className={classes.quiet}>{texts.none}</p>}
          <EntryList entries={values.components} names={names} onChange={change} />
          <ComponentPicker
            names={names}
            entries={values.components}
            onPick={(id) => change([...values.components, newEntry(id)])}
          />
        </>
      )}
      {error !== undefined && <p className={classes.error}>{error}</p>}
    </>
  )
}

interface EntryListProps {
  entries: readonly PageEntry[]
  names: ReadonlyMap<string, string>
  onChange(entries: readonly PageEntry[]): void
}

const EntryList = ({ entries, names, onChange }: EntryListProps) => {
  const { choice: texts } = useTexts().statusPages
  const [editedId, setEdited] = useState<string | null>(null)
  const nameOf = (id: string) => names.get(id) ?? texts.deleted
  const { dragAndDropHooks } = useDragAndDrop({
    getItems: (keys) => [...keys].map((key) => ({ 'text/plain': nameOf(String(key)) })),
    onReorder: ({ keys, target }) => {
      const place: EntryPlace = { id: String(target.key), position: target.dropPosition }
      onChange(movedEntries(entries, keys as ReadonlySet<string>, place))
    },
  })
  const edited = entries.find(({ componentId }) => componentId === editedId)
  if (entries.length === 0) return null
  return (
    <>
      <GridList
        className={classes.entries}
        aria-label={texts.list}
        items={entries.map((entry) => ({ ...entry, id: entry.componentId }))}
        dragAndDropHooks={dragAndDropHooks}
        dependencies={[names, entries]}
      >
        {(entry) => (
          <EntryRow
            entry={entry}
            name={nameOf(entry.id)}
            onEdit={() => setEdited(entry.id)}
            onRemove={() => onChange(entries.filter((one) => one.componentId !== entry.id))}
          />
        )}
      </GridList>
      {edited !== undefined && (
        <EntryDialog
          entry={edited}
          name={nameOf(edited.componentId)}
          onClose={() => setEdited(null)}
          onChange={(changed) =>
            onChange(entries.map((one) => (one.componentId === editedId ? changed : one)))
          }
        />
      )}
    </>
  )
}

interface EntryRowProps {
  entry: PageEntry
  name: string
  onEdit(): void
  onRemove(): void
}

const EntryRow = ({ entry, name, onEdit, onRemove }: EntryRowProps) => {
  const { choice: texts } = useTexts().statusPages
  const { fill } = useFormats()
  const facts = [
    entry.displayName !== null && name,
    entry.groupName !== null && fill(texts.inGroup, { name: entry.groupName }),
    !entry.showUptime && texts.hidesUptime,
    !entry.showChildren && texts.hidesChildren,
  ].filter((fact) => fact !== false)
  return (
    <GridListItem id={entry.componentId} textValue={name} className={classes.entry}>
      <AriaButton slot="drag" className={classes.handle} aria-label={fill(texts.drag, { name })}>
        <Icon name="handle" />
      </AriaButton>
      <span className={classes.entryText}>
        <bdi>{entry.displayName ?? name}</bdi>
        {facts.length > 0 && <span className={classes.quiet}>{facts.join(' · ')}</span>}
      </span>
      <Button emphasis="quiet" onPress={onEdit} aria-label={fill(texts.edit, { name })}>
        <Icon name="wrench" />
      </Button>
      <Button emphasis="quiet" onPress={onRemove} aria-label={fill(texts.remove, { name })}>
        <Icon name="cross" />
      </Button>
    </GridListItem>
  )
}

interface ComponentPickerProps {
  names: ReadonlyMap<string, string>
  entries: readonly PageEntry[]
  onPick(id: string): void
}

const ComponentPicker = ({ names, entries, onPick }: ComponentPickerProps) => {
  const { choice: texts } = useTexts().statusPages
  const taken = new Set(entries.map(({ componentId }) => componentId))
  const options = [...names]
    .filter(([id]) => !taken.has(id))
    .map(([value, label]) => ({ value, label }))
  if (options.length === 0) return null
  return (
    <LazyAddComboBox
      label={texts.add}
      options={options}
      onChange={(id) => names.has(id) && onPick(id)}
    />
  )
}
