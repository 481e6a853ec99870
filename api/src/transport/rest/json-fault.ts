/** What may come next: a value, the rest of a list or an object, a name, the colon behind it, or nothing. */
type Next = 'VALUE' | 'ITEM_OR_END' | 'NAME' | 'NAME_OR_END' | 'COLON' | 'COMMA_OR_END' | 'NOTHING';

const SCALAR = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const SPACE = ' \t\n\r';
const ESCAPED = /["\\/bfnrt]|u[0-9A-Fa-f]{4}/y;

/** Where a text stops being JSON: `line 2, column 7`, both from 1; undefined when it is JSON. JSON.parse only sometimes says. */
export function jsonFault(text: string): string | undefined {
  const at = faultAt(text);
  if (at === undefined) return undefined;
  const before = text.slice(0, at);
  return `line ${before.split('\n').length}, column ${at - before.lastIndexOf('\n')}`;
}

function faultAt(text: string): number | undefined {
  const open: string[] = [];
  let next: Next = 'VALUE';
  for (let at = 0; ; ) {
    while (at < text.length && SPACE.includes(text.charAt(at))) at++;
    if (at >= text.length) return next === 'NOTHING' ? undefined : at;
    const char = text.charAt(at);
    const inside = open.at(-1);
    if (char === inside && (next === 'COMMA_OR_END' || next === 'ITEM_OR_END' || next === 'NAME_OR_END')) {
      open.pop();
      at++;
    } else if (next === 'COLON' || next === 'COMMA_OR_END') {
      if (char !== (next === 'COLON' ? ':' : ',')) return at;
      next = next === 'COLON' || inside === ']' ? 'VALUE' : 'NAME';
      at++;
      continue;
    } else if (next === 'NAME' || next === 'NAME_OR_END') {
      const end = endOfString(text, at);
      if (end.fault) return end.at;
      at = end.at;
      next = 'COLON';
      continue;
    } else if (next === 'NOTHING') {
      return at;
    } else if (char === '{' || char === '[') {
      open.push(char === '{' ? '}' : ']');
      next = char === '{' ? 'NAME_OR_END' : 'ITEM_OR_END';
      at++;
      continue;
    } else {
      const end = char === '"' ? endOfString(text, at) : endOfScalar(text, at);
      if (end.fault) return end.at;
      at = end.at;
    }
    next = open.length === 0 ? 'NOTHING' : 'COMMA_OR_END';
  }
}

interface End {
  readonly at: number;
  readonly fault: boolean;
}

function endOfScalar(text: string, at: number): End {
  SCALAR.lastIndex = at;
  return SCALAR.test(text) ? { at: SCALAR.lastIndex, fault: false } : { at, fault: true };
}

function endOfString(text: string, start: number): End {
  if (text.charAt(start) !== '"') return { at: start, fault: true };
  for (let at = start + 1; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === '"') return { at: at + 1, fault: false };
    if (char < ' ') return { at, fault: true };
    if (char !== '\\') continue;
    ESCAPED.lastIndex = at + 1;
    if (!ESCAPED.test(text)) return { at: at + 1, fault: true };
    at = ESCAPED.lastIndex - 1;
  }
  return { at: text.length, fault: true };
}
