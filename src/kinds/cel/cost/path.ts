/**
 * Pure: the path from a variable to a part of its value.
 *
 * Kubernetes appends to paths in place if there is capacity, as Go does with slices, and looks up
 * the length of a loop's range only after the body of the loop. By then another path with the same
 * prefix may have overwritten its end. Whether rules are accepted depends on this, so paths here
 * share their capacity in the same way.
 */

export interface Path {
  readonly shared: string[];
  readonly length: number;
  readonly room: number;
}

export function pathOf(variable: string): Path {
  return { shared: [variable], length: 1, room: 1 };
}

export const NO_PATH: Path = { shared: [], length: 0, room: 0 };

export function appended({ shared, length, room }: Path, step: string): Path {
  if (length < room) {
    shared[length] = step;
    return { shared, length: length + 1, room };
  }
  const grown = [...shared.slice(0, length), step];
  return { shared: grown, length: length + 1, room: Math.max(1, 2 * room) };
}

export function stepsOf({ shared, length }: Path): readonly string[] {
  return shared.slice(0, length);
}
