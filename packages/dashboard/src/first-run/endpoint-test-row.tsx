/** Result of the test of one address. */
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Form } from 'react-aria-components'
import { ProblemNote, problemText } from '../app/problem-note.tsx'
import { useFieldErrors } from '../app/use-field-errors.ts'
import { Button } from '../kit/button.tsx'
import { TextField } from '../kit/field.tsx'
import { type State, StateMark } from '../kit/icon.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { correctedAddress, type PastedAddress } from './addresses.ts'
import type { EndpointTest } from './endpoint-tests.ts'
import classes from './first-run.module.css'

interface EndpointTestRowProps {
  test: EndpointTest
  onCorrect(corrected: PastedAddress): Promise<void>
  onRemove(): Promise<void>
}

export const EndpointTestRow = ({ test, onCorrect, onRemove }: EndpointTestRowProps) => {
  const [isEdited, setEdited] = useState(false)
  const remove = useMutation({ mutationFn: onRemove })
  const text = useTestText(test)
  const hasFailed = test.phase === 'ended' && test.check?.success !== true
  return (
    <li className={classes.row}>
      <StateMark state={stateOf(test)} />
      <div className={classes.rowText}>
        <p>
          <strong>
            <bdi>{test.name}</bdi>
          </strong>
        </p>
        <p className={classes.fact} dir="ltr">
          {test.url}
        </p>
        <p className={hasFailed ? classes.failure : classes.fact}>{text}</p>
      </div>
      {hasFailed && (
        <RowActions
          name={test.name}
          onChange={isEdited ? null : () => setEdited(true)}
          onRemove={remove.isPending ? null : () => remove.mutate()}
        />
      )}
      {hasFailed && isEdited && <CorrectionForm test={test} onCorrect={onCorrect} />}
      {remove.isError && (
        <div className={classes.rowNote}>
          <ProblemNote error={remove.error} />
        </div>
      )}
    </li>
  )
}

interface RowActionsProps {
  name: string
  /** Null while the address is edited. */
  onChange: (() => void) | null
  /** Null while the address is removed. */
  onRemove: (() => void) | null
}

const RowActions = ({ name, onChange, onRemove }: RowActionsProps) => {
  const { actions, firstRun } = useTexts()
  const { labelled } = useFormats()
  const { change } = firstRun.components
  return (
    <div className={classes.rowActions}>
      {onChange !== null && (
        <Button emphasis="quiet" onPress={onChange} aria-label={labelled(change, name)}>
          {change}
        </Button>
      )}
      <Button
        emphasis="quiet"
        onPress={() => onRemove?.()}
        isDisabled={onRemove === null}
        aria-label={labelled(actions.remove, name)}
      >
        {actions.remove}
      </Button>
    </div>
  )
}

const fields = ['url'] as const

/** The row of the corrected address is another one, so that the form ends with the test. */
const CorrectionForm = ({ test, onCorrect }: Omit<EndpointTestRowProps, 'onRemove'>) => {
  const { page, components: texts } = useTexts().firstRun
  const { fill } = useFormats()
  const [text, setText] = useState(test.url)
  const correct = useMutation({ mutationFn: onCorrect })
  const corrected = correctedAddress(test, text)
  const errors = useFieldErrors(correct.error)
  const problem = corrected === null ? fill(texts.invalid, { text: text.trim() }) : errors.url
  return (
    <Form
      className={classes.rowForm}
      onSubmit={(event) => {
        event.preventDefault()
        if (corrected !== null) correct.mutate(corrected)
      }}
    >
      <TextField
        label={page.slug}
        error={problem}
        value={text}
        onChange={setText}
        dir="ltr"
        maxLength={2048}
        spellCheck="false"
        autoFocus
      />
      <Button type="submit" isDisabled={correct.isPending || corrected === null}>
        {correct.isPending ? texts.testing : texts.testAgain}
      </Button>
      <ProblemNote error={correct.error} fieldErrors={errors} fields={fields} />
    </Form>
  )
}

const stateOf = ({ phase, check }: EndpointTest): State => {
  if (phase !== 'ended') return 'none'
  return check?.success === true ? 'ok' : 'down'
}

const useTestText = ({ phase, check, error }: EndpointTest): string => {
  const texts = useTexts()
  const { fill, number } = useFormats()
  const { components, page } = texts.firstRun
  if (phase === 'waiting') return components.waiting
  if (phase === 'testing') return components.testing
  if (check === null) return problemText(error, texts, { url: page.slug })
  const { statusCode, responseTime, error: reason } = check.result
  if (reason !== null) {
    const known = components.errors[reason as keyof typeof components.errors]
    return known ?? components.errors.other
  }
  const code = statusCode ?? ''
  if (!check.success) return fill(components.failed, { code })
  return fill(components.responded, { code, time: number(Math.round(responseTime ?? 0)) })
}
