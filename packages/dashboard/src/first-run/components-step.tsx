/** Step: components from pasted addresses, each tested at once. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { componentsQuery } from '../api/queries.ts'
import { Button } from '../kit/button.tsx'
import { TextAreaField, TextField } from '../kit/field.tsx'
import { StateMark } from '../kit/icon.tsx'
import { Note } from '../kit/note.tsx'
import { componentStates } from '../overview/states.ts'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { type AddressList, MAX_ADDRESSES, type PastedAddress, parseAddresses } from './addresses.ts'
import { EndpointTestRow } from './endpoint-test-row.tsx'
import { type EndpointTest, useEndpointTests } from './endpoint-tests.ts'
import classes from './first-run.module.css'

export const ComponentsStep = () => {
  const texts = useTexts().firstRun.components
  const { tests, isRunning, run, correct, remove } = useEndpointTests()
  return (
    <div className={classes.form}>
      <AddressForm isRunning={isRunning} onAdd={(addresses) => void run(addresses)} />
      {tests.length > 0 && (
        <ul className={classes.rows} aria-live="polite">
          {tests.map((test) => (
            <EndpointTestRow
              key={`${test.url} ${test.phase === 'ended'}`}
              test={test}
              onCorrect={(corrected) => correct(test, corrected)}
              onRemove={() => remove(test)}
            />
          ))}
        </ul>
      )}
      {tests.some(hasFailedComponent) && <Note state="work">{texts.failedHint}</Note>}
      <ExistingComponents tested={tests.map(({ componentId }) => componentId)} />
    </div>
  )
}

interface AddressFormProps {
  isRunning: boolean
  onAdd(addresses: readonly PastedAddress[]): void
}

const AddressForm = ({ isRunning, onAdd }: AddressFormProps) => {
  const texts = useTexts().firstRun.components
  const { plural } = useFormats()
  const [text, setText] = useState('')
  const [names, setNames] = useState<Readonly<Record<string, string>>>({})
  const list = parseAddresses(text)
  const problem = useAddressProblem(list)
  const addresses = list.addresses.map(({ url, name }) => ({ url, name: names[url] ?? name }))
  const isReady = problem === undefined && addresses.length > 0
  const add = () => {
    setText('')
    onAdd(addresses)
  }
  return (
    <>
      <TextAreaField
        label={texts.label}
        hint={texts.labelHint}
        error={problem}
        value={text}
        onChange={setText}
        spellCheck="false"
      />
      {isReady && (
        <AddressNames
          addresses={addresses}
          onRename={(url, name) => setNames((before) => ({ ...before, [url]: name }))}
        />
      )}
      <p>
        <Button emphasis="primary" onPress={add} isDisabled={isRunning || !isReady}>
          {isRunning ? texts.testing : texts.add}
        </Button>{' '}
        {addresses.length > 0 && <span>{plural(texts.found, addresses.length)}</span>}
      </p>
    </>
  )
}

const useAddressProblem = ({ addresses, invalid }: AddressList): string | undefined => {
  const texts = useTexts().firstRun.components
  const { fill, number } = useFormats()
  if (invalid[0] !== undefined) return fill(texts.invalid, { text: invalid[0] })
  if (addresses.length <= MAX_ADDRESSES) return undefined
  return fill(texts.tooMany, { count: number(MAX_ADDRESSES) })
}

const hasFailedComponent = ({ phase, componentId, check }: EndpointTest): boolean =>
  phase === 'ended' && componentId !== null && check?.success !== true

interface AddressNamesProps {
  addresses: readonly PastedAddress[]
  onRename(url: string, name: string): void
}

const AddressNames = ({ addresses, onRename }: AddressNamesProps) => {
  const { name } = useTexts().firstRun.components
  return (
    <ul className={classes.names}>
      {addresses.slice(0, MAX_ADDRESSES).map((address) => (
        <li key={address.url}>
          <TextField
            label={name}
            hint={address.url}
            value={address.name}
            onChange={(value) => onRename(address.url, value)}
            maxLength={100}
          />
        </li>
      ))}
    </ul>
  )
}

const ExistingComponents = ({ tested }: { tested: readonly (string | null)[] }) => {
  const texts = useTexts()
  const { data } = useQuery(componentsQuery)
  const others = (data?.data ?? []).filter(({ id }) => !tested.includes(id))
  if (others.length === 0) return null
  return (
    <section>
      <h3 className={classes.listTitle}>{texts.firstRun.components.existing}</h3>
      <ul className={classes.rows}>
        {others.map(({ id, name, status }) => (
          <li key={id} className={classes.row}>
            <StateMark state={componentStates[status]} />
            <span className={classes.rowText}>
              <bdi>{name}</bdi>
            </span>
            <span className={classes.fact}>{texts.components[status]}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
