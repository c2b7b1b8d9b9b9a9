/** Lists of a postmortem: events of the timeline, and action items. */
import { type ReactNode, useId, useRef } from 'react'
import { flushSync } from 'react-dom'
import { Button } from '../kit/button.tsx'
import { Checkbox } from '../kit/checkbox.tsx'
import { DateTimeField } from '../kit/date-time-field.tsx'
import { TextField } from '../kit/field.tsx'
import { fill } from '../texts/plural.ts'
import { useFormats, useTexts } from '../texts/texts.tsx'
import classes from './incidents.module.css'
import type { PostmortemFields } from './postmortem-fields.ts'

const MAX_ENTRIES = 100
const MAX_TEXT = 500

type TimelineEntries = PostmortemFields['timeline']

interface TimelineFieldProps {
  entries: TimelineEntries
  /** Time of a new first event. */
  startedAt: string
  onChange(entries: TimelineEntries): void
}

export const TimelineField = ({ entries, startedAt, onChange }: TimelineFieldProps) => {
  const { postmortem: texts } = useTexts()
  const newEntry = () => ({ at: entries.at(-1)?.at ?? startedAt, text: '' })
  return (
    <EntryList
      title={texts.timeline}
      entryTitle={texts.entry}
      addText={texts.addEntry}
      entries={entries}
      newEntry={newEntry}
      onChange={onChange}
    >
      {(entry, set) => (
        <div className={classes.pair}>
          <DateTimeField
            label={texts.at}
            value={entry.at}
            onChange={(at) => at !== null && set({ ...entry, at })}
          />
          <TextField
            label={texts.text}
            value={entry.text}
            onChange={(text) => set({ ...entry, text })}
            maxLength={MAX_TEXT}
          />
        </div>
      )}
    </EntryList>
  )
}

type ActionItems = PostmortemFields['actionItems']

interface ActionItemsFieldProps {
  items: ActionItems
  onChange(items: ActionItems): void
}

const newItem = () => ({ title: '', owner: null, dueAt: null, done: false })

export const ActionItemsField = ({ items, onChange }: ActionItemsFieldProps) => {
  const { postmortem: texts } = useTexts()
  return (
    <EntryList
      title={texts.actionItems}
      hint={texts.actionItemsHint}
      entryTitle={texts.item}
      addText={texts.addItem}
      entries={items}
      newEntry={newItem}
      onChange={onChange}
    >
      {(item, set) => (
        <>
          <div className={classes.pair}>
            <TextField
              label={texts.itemTitle}
              value={item.title}
              onChange={(title) => set({ ...item, title })}
              maxLength={MAX_TEXT}
            />
            <TextField
              label={texts.owner}
              value={item.owner ?? ''}
              onChange={(owner) => set({ ...item, owner })}
              maxLength={MAX_TEXT}
            />
          </div>
          <div className={classes.pair}>
            <DateTimeField
              label={texts.due}
              value={item.dueAt}
              onChange={(dueAt) => set({ ...item, dueAt })}
            />
            <Checkbox
              label={texts.done}
              isSelected={item.done}
              onChange={(done) => set({ ...item, done })}
            />
          </div>
        </>
      )}
    </EntryList>
  )
}

interface EntryListProps<Entry> {
  title: string
  hint?: string
  /** Title of an entry with the placeholder of its number. */
  entryTitle: string
  addText: string
  entries: readonly Entry[]
  newEntry(): Entry
  onChange(entries: Entry[]): void
  children(entry: Entry, set: (entry: Entry) => void): ReactNode
}

const ADD_BUTTON = 'p > button'
const NEW_FIELD = 'fieldset:last-of-type input'

const EntryList = <Entry,>(props: EntryListProps<Entry>) => {
  const { title, hint, entryTitle, addText, entries, newEntry, onChange, children } = props
  const { postmortem: texts } = useTexts()
  const { labelled } = useFormats()
  const id = useId()
  const list = useRef<HTMLElement>(null)
  /** Changes the list and moves the focus, which a removed entry would lose. */
  const changeAndFocus = (changed: Entry[], selector: string) => {
    flushSync(() => onChange(changed))
    list.current?.querySelector<HTMLElement>(selector)?.focus()
  }
  return (
    <section ref={list} aria-labelledby={id} className={classes.list}>
      <div>
        <h3 id={id} className={classes.conflictTitle}>
          {title}
        </h3>
        {hint !== undefined && <p className={classes.fact}>{hint}</p>}
      </div>
      {[...entries.entries()].map(([index, entry]) => {
        const name = fill(entryTitle, { number: index + 1 })
        return (
          <fieldset key={index} className={classes.item}>
            <legend className="visually-hidden">{name}</legend>
            {children(entry, (changed) => onChange(entries.toSpliced(index, 1, changed)))}
            <div>
              <Button
                emphasis="quiet"
                onPress={() => changeAndFocus(entries.toSpliced(index, 1), ADD_BUTTON)}
                aria-label={labelled(texts.remove, name)}
              >
                {texts.remove}
              </Button>
            </div>
          </fieldset>
        )
      })}
      <p>
        <Button
          onPress={() => changeAndFocus([...entries, newEntry()], NEW_FIELD)}
          isDisabled={entries.length >= MAX_ENTRIES}
        >
          {addText}
        </Button>
      </p>
    </section>
  )
}
