/** Filters above the delivery log. */
import { useQuery } from '@tanstack/react-query'
import { deliveryEvents, deliveryStates } from '../api/contract.ts'
import { channelsQuery } from '../channels/queries.ts'
import { TextField } from '../kit/field.tsx'
import { FilterSelect } from '../kit/filter-select.tsx'
import { Filters } from '../kit/filters.tsx'
import { useTexts } from '../texts/texts.tsx'
import type { DeliveryLogFilters } from './filters.ts'

interface FiltersBarProps {
  filters: DeliveryLogFilters
  onChange(patch: DeliveryLogFilters): void
  onReset(): void
}

export const FiltersBar = ({ filters, onChange, onReset }: FiltersBarProps) => {
  const { deliveries: texts, incident } = useTexts()
  const { data } = useQuery(channelsQuery)
  const channels = (data?.data ?? []).map(({ id, name }) => ({ value: id, label: name }))
  return (
    <Filters filters={filters} onReset={onReset}>
      <FilterSelect
        label={texts.state}
        anyLabel={texts.anyState}
        options={deliveryStates.map((value) => ({ value, label: texts.states[value] }))}
        value={filters.state}
        onChange={(state) => onChange({ state })}
      />
      <FilterSelect
        label={texts.channel}
        anyLabel={texts.anyChannel}
        options={channels}
        isSearchable
        value={filters.channel}
        onChange={(channel) => onChange({ channel })}
      />
      <FilterSelect
        label={texts.event}
        anyLabel={texts.anyEvent}
        options={deliveryEvents.map((value) => ({ value, label: texts.events[value] }))}
        value={filters.event}
        onChange={(event) => onChange({ event })}
      />
      <TextField
        type="date"
        label={incident.filters.from}
        value={filters.from ?? ''}
        onChange={(from) => onChange({ from: from || undefined })}
      />
      <TextField
        type="date"
        label={incident.filters.to}
        value={filters.to ?? ''}
        onChange={(to) => onChange({ to: to || undefined })}
      />
    </Filters>
  )
}
