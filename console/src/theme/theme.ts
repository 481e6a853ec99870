import { createTheme, type MantineColorsTuple } from '@mantine/core';

/** The one accent: a signal blue that stays apart from the colours of states. */
const signal: MantineColorsTuple = [
  '#eef3ff',
  '#dbe5fd',
  '#b6c9f8',
  '#8eabf3',
  '#6c91ef',
  '#4f7ae8',
  '#3565da',
  '#2a54bd',
  '#24489f',
  '#1b3779',
];

/** Dark enough for white text on it in both schemes. */
const red: MantineColorsTuple = [
  '#fdecec',
  '#fbd5d5',
  '#f5b0b0',
  '#f08080',
  '#e05656',
  '#cf3a3f',
  '#bf2c2c',
  '#a62424',
  '#8a1e1e',
  '#6d1717',
];

/** Neutrals with a trace of blue, so that panels and lines sit quietly beside the accent. */
const gray: MantineColorsTuple = [
  '#f7f8fa',
  '#eff1f4',
  '#e3e7ec',
  '#d2d8e0',
  '#b4bdc9',
  '#8c97a6',
  '#667180',
  '#4a5462',
  '#323a46',
  '#1e242d',
];

const dark: MantineColorsTuple = [
  '#dfe4ea',
  '#b3bcc8',
  '#8792a2',
  '#64707f',
  '#3d4652',
  '#2a323c',
  '#1f262f',
  '#171c23',
  '#12161c',
  '#0d1015',
];

export const theme = createTheme({
  colors: { signal, gray, dark, red },
  primaryColor: 'signal',
  primaryShade: { light: 6, dark: 5 },
  autoContrast: true,
  fontFamily: 'var(--font-sans), system-ui, sans-serif',
  fontFamilyMonospace: 'var(--font-mono), ui-monospace, monospace',
  fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '16px', xl: '19px' },
  lineHeights: { xs: '1.4', sm: '1.45', md: '1.5', lg: '1.5', xl: '1.4' },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '22px', lineHeight: '1.3' },
      h2: { fontSize: '16px', lineHeight: '1.35' },
      h3: { fontSize: '14px', lineHeight: '1.4' },
    },
  },
  radius: { xs: '2px', sm: '4px', md: '6px', lg: '8px', xl: '12px' },
  defaultRadius: 'sm',
  cursorType: 'pointer',
  components: {
    Button: { defaultProps: { size: 'sm', fw: 500 } },
    TextInput: { defaultProps: { size: 'sm' } },
    Select: { defaultProps: { size: 'sm', checkIconPosition: 'right' } },
    Tooltip: {
      defaultProps: {
        withArrow: true,
        multiline: true,
        maw: 360,
        openDelay: 150,
        events: { hover: true, focus: true, touch: true },
      },
    },
    Modal: {
      defaultProps: { centered: true, overlayProps: { backgroundOpacity: 0.45 } },
      styles: {
        content: { background: 'var(--reach-raised)', border: '1px solid var(--reach-line-strong)' },
        header: { background: 'var(--reach-raised)' },
        title: { fontSize: '16px', fontWeight: 600 },
      },
    },
    Alert: {
      styles: (_theme: unknown, { color }: { color?: unknown }) => {
        const tone = color === 'yellow' ? 'warn' : color === 'red' ? 'bad' : 'busy';
        return {
          root: { background: `var(--reach-${tone}-wash)`, border: `1px solid var(--reach-line)` },
          title: { color: `var(--reach-${tone})`, fontWeight: 600 },
          icon: { color: `var(--reach-${tone})` },
        };
      },
    },
    Autocomplete: { defaultProps: { openOnFocus: false } },
    Tabs: { defaultProps: { keepMounted: false } },
  },
});
