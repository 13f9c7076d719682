// Fields of alternatives (`oneOf`, `anyOf`): a list to choose from, and the fields of what was chosen.

// The title of an option. Readers know the values of the discriminator better than the name of a schema.
function optionTitle(option) {
  const values = (option.values || []).join(", ");
  return values && values !== option.title ? `${values} (${option.title})` : option.title;
}

// One list of alternatives. `fixed` of the chosen one is the value of the discriminator.
function alternativesField(context, choice, options, chosen) {
  const unset = options.required ? [] : [["", "Not set"]];
  const input = select([...unset, ...choice.options.map((option, number) => [number, optionTitle(option)])], { id: options.id, "aria-labelledby": options.labelId });
  const place = create("div", { class: "dw-playground-chosen" });
  let inner = null;

  function show(number) {
    input.value = number === null ? "" : number;
    const option = choice.options[number];
    inner = null;
    if (option) {
      const isSingle = !context.schemas.find(option.schema).properties && !context.schemas.find(option.schema).choices;
      const fixed = choice.by && option.values ? { [choice.by]: option.values } : undefined;
      const labelId = isSingle ? newId() : options.labelId;
      inner = createControl(context, option.schema, { name: options.name, required: true, depth: options.depth + 1, labelId, fixed });
      const label = isSingle && !inner.isGroup ? create("label", { class: "dw-playground-spoken", for: inner.id }, options.name || option.title) : null;
      place.replaceChildren(...[label, inner.toggle, inner.element].filter(Boolean));
    } else {
      place.replaceChildren();
    }
    chosen(option);
  }
  input.addEventListener("change", () => {
    const before = inner && inner.read();
    show(input.value === "" ? null : Number(input.value));
    // What both alternatives have is kept.
    const known = inner && isObject(before) ? propertiesOf(context, choice.options[input.value].schema) : new Set();
    const kept = Object.entries(before || {}).filter(([name]) => known.has(name) && name !== choice.by);
    if (kept.length > 0 && inner.write(Object.fromEntries(kept)) !== null) inner.write(undefined);
    changed(place);
  });
  return {
    element: create("div", {}, input, place),
    start: () => show(options.required ? 0 : null),
    isChosen: () => inner !== null,
    read: () => (inner ? inner.read() : undefined),
    write(value) {
      if (value === undefined) {
        show(options.required ? 0 : null);
        return null;
      }
      const number = context.schemas.bestOption(choice, value);
      if (number < 0) return "";
      show(number);
      return inner.write(value);
    },
    check: () => (inner ? inner.check() : []),
  };
}

// Names of the properties of a schema, those of its alternatives too.
function propertiesOf(context, schema, depth = 0) {
  const found = context.schemas.find(schema);
  const names = new Set(Object.keys(found.properties || {}));
  for (const choice of depth < 4 ? found.choices || [] : []) {
    for (const option of choice.options) for (const name of propertiesOf(context, option.schema, depth + 1)) names.add(name);
  }
  return names;
}

// Alternatives, beside the properties that all of them have.
function choiceField(context, schema, options) {
  const holder = create("div", { class: "dw-playground-object" });
  const hidden = schema.choices.map(() => new Set());
  let base = null;
  const lists = schema.choices.map((choice, number) => alternativesField(context, choice, { ...options, id: number === 0 ? options.id : newId() }, (option) => {
    hidden[number] = option ? propertiesOf(context, option.schema) : new Set();
    if (option && choice.by) hidden[number].add(choice.by);
    showBase();
  }));

  // A property that the chosen alternative has too stands there only.
  function showBase() {
    if (!schema.properties) return;
    const before = base && base.read();
    const omit = new Set(hidden.flatMap((names) => [...names]));
    base = objectField(context, { ...schema, choices: undefined }, { ...options, id: newId(), omit });
    if (before) base.write(Object.fromEntries(Object.entries(before).filter(([name]) => !omit.has(name))));
    holder.firstElementChild.replaceChildren(...(isAdded() ? [base.element] : []));
  }
  const isAdded = () => options.required || lists.some((list) => list.isChosen());

  // The members of an object that a list can show. What nothing knows stands with the properties that all have, or in the
  // first list.
  const known = schema.choices.map((choice) => new Set(choice.options.flatMap((option) => [...propertiesOf(context, option.schema), choice.by])));
  function partOf(value, number) {
    const isElsewhere = (name) => Boolean(schema.properties) || known.some((names, other) => other !== number && names.has(name));
    return Object.fromEntries(Object.entries(value).filter(([name]) => known[number].has(name) || (number === 0 && !isElsewhere(name))));
  }

  holder.append(create("div"), ...lists.map((list) => list.element));
  lists.forEach((list) => list.start());
  return {
    id: options.id,
    isGroup: Boolean(schema.properties),
    element: holder,
    read() {
      const values = lists.map((list) => list.read());
      const single = values.find((value) => value !== undefined && !isObject(value));
      if (single !== undefined) return single;
      if (!isAdded()) return undefined;
      return Object.assign({}, base && base.read(), ...values.map((value) => value || {}));
    },
    write(value) {
      for (const [number, list] of lists.entries()) {
        const problem = list.write(isObject(value) ? partOf(value, number) : value);
        if (problem !== null) return problem;
      }
      if (!base || !isObject(value)) return null;
      const omit = new Set(hidden.flatMap((names) => [...names]));
      return base.write(Object.fromEntries(Object.entries(value).filter(([name]) => !omit.has(name))));
    },
    check: () => [...(base && isAdded() ? base.check() : []), ...lists.flatMap((list) => list.check())],
  };
}
