/** Check of an endpoint on request, and its result in words. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { ProblemNote } from '../app/problem-note.tsx'
import { Button } from '../kit/button.tsx'
import { Note } from '../kit/note.tsx'
import { useSession } from '../session/session.tsx'
import { type Texts, useFormats, useTexts } from '../texts/texts.tsx'
import { ConditionResults } from './condition-results.tsx'
import classes from './detail.module.css'
import { type CheckResult, checkStates } from './results.ts'
import type { ComponentData } from './tree.ts'
import { useCertificateText } from './use-certificate-text.ts'

export const TestNow = ({ component }: { component: ComponentData }) => {
  const { can } = useSession()
  const test = useTest(component)
  if (!can('COMPONENTS_UPDATE')) return null
  return (
    <div className={classes.test}>
      <p>
        <TestButton test={test} />
      </p>
      <TestOutcome component={component} test={test} />
    </div>
  )
}

/** Check of the stored definition of an endpoint. */
export const useTest = ({ id }: ComponentData) => {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: async () => {
      const params = { path: { id } }
      return (await api.POST('/api/v1/components/{id}/check', { params })).data.result
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['components'] }),
  })
}

export type Test = ReturnType<typeof useTest>

export const TestButton = ({ test, isDisabled = false }: { test: Test; isDisabled?: boolean }) => {
  const { test: texts } = useTexts().componentScreens
  return (
    <Button onPress={() => test.mutate()} isDisabled={isDisabled || test.isPending}>
      {test.isPending ? texts.running : texts.run}
    </Button>
  )
}

export const TestOutcome = ({ component, test }: { component: ComponentData; test: Test }) => (
  <div aria-live="polite" className={classes.outcome}>
    {test.data !== undefined && <TestResult component={component} result={test.data} />}
    <ProblemNote error={test.error} />
  </div>
)

interface TestResultProps {
  component: ComponentData
  result: CheckResult
}

const TestResult = ({ component, result }: TestResultProps) => {
  const texts = useTexts()
  const { test, detail } = texts.componentScreens
  const formats = useFormats()
  const facts = formats.facts(useCheckFacts(result))
  const certificate = useCertificateText(component)
  return (
    <Note state={checkStates[result.status]}>
      <p>{formats.fill(test[headlines[result.status]], { facts })}</p>
      {certificate !== null && (
        <p className={classes.quiet}>
          {formats.labelled(detail.facts.certificate, certificate.expiry)}
        </p>
      )}
      {result.conditionResults.length === 0 ? (
        <p className={classes.quiet}>{test.noConditions}</p>
      ) : (
        <ConditionResults results={result.conditionResults} />
      )}
    </Note>
  )
}

const headlines = {
  SUCCESS: 'passed',
  DEGRADED: 'degraded',
  FAILURE: 'failed',
  TIMEOUT: 'failed',
  ERROR: 'failed',
} as const satisfies Record<CheckResult['status'], keyof Texts['componentScreens']['test']>

/** Facts of a check in words: error, status code and duration. */
const useCheckFacts = ({ error, statusCode, responseTime }: CheckResult): string[] => {
  const { test, errors } = useTexts().componentScreens
  const { fill, number } = useFormats()
  const facts = [
    error === null ? null : errors[error],
    statusCode === null ? null : fill(test.code, { code: statusCode }),
    responseTime === null ? null : fill(test.duration, { time: number(Math.round(responseTime)) }),
  ].filter((fact) => fact !== null)
  return facts.length === 0 ? [test.noResponse] : facts
}
