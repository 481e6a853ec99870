'use client';

import { Autocomplete, TagsInput } from '@mantine/core';
import { useState } from 'react';
import { withValue } from '../draft/policy-draft';
import { type DraftProps, faultUnder, textsAt } from './draft-props';
import { useAgentSearch } from './use-agent-search';

/** A list of agents at a path of the draft, chosen from those that exist; one that doesn't exist yet can be typed. */
export function AgentListField({
  draft,
  faults,
  onChange,
  path,
  label,
  description,
  placeholder,
}: DraftProps & { path: string; label: string; description: string; placeholder: string }) {
  const [search, setSearch] = useState('');
  const found = useAgentSearch(search);
  const value = textsAt(draft, path);
  return (
    <TagsInput
      label={label}
      description={description}
      placeholder={value.length === 0 ? placeholder : ''}
      data={[...found]}
      // The server has searched by its own rules.
      filter={({ options }) => options}
      value={value}
      onChange={(next) => onChange(withValue(draft, path, next))}
      searchValue={search}
      onSearchChange={setSearch}
      acceptValueOnBlur
      error={faultUnder(faults, path)}
      clearable
    />
  );
}

/** One agent, chosen or typed. */
export function AgentField({
  label,
  value,
  onChange,
  error,
}: {
  label: string;
  value: string;
  onChange: (agent: string) => void;
  error: string | undefined;
}) {
  const found = useAgentSearch(value);
  return (
    <Autocomplete
      aria-label={label}
      placeholder="namespace/agent"
      data={[...found]}
      filter={({ options }) => options}
      value={value}
      onChange={(next) => onChange(next.trim())}
      error={error}
      spellCheck={false}
      style={{ flex: '1 1 160px', minWidth: 0 }}
    />
  );
}
