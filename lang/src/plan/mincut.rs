//! A cheapest set of vertices that separates sources from sinks: costs and edges in, the chosen vertices out.
//!
//! Maximum flow by shortest augmenting paths (Edmonds and Karp); of several cheapest sets it is the one nearest to the
//! sinks. A graph is the values of one clause, which may have thousands of statements; but few of those have values in
//! common, so that what hangs together has a few dozen vertices and is cut by itself.

use std::collections::VecDeque;

/// A graph whose vertices have costs.
#[derive(Debug, Default)]
pub(super) struct Graph {
    /// What choosing a vertex costs; above 0.
    pub costs: Vec<u64>,
    /// From a vertex to one that depends on it.
    pub edges: Vec<(usize, usize)>,
    /// Vertices that every separating set must cut off from the sinks; a source may be chosen itself.
    pub sources: Vec<usize>,
    /// Vertices that must be cut off from the sources; a sink may be chosen itself.
    pub sinks: Vec<usize>,
}

/// An arc of the flow network; its reverse is the arc with the lowest bit of the index flipped.
struct Arc {
    to: usize,
    residual: u64,
}

/// By vertex: whether it is chosen.
pub(super) fn cheapest_cut(graph: &Graph) -> Vec<bool> {
    let parts = parts(graph);
    let mut place = vec![0; graph.costs.len()];
    let mut split: Vec<(Graph, Vec<usize>)> = Vec::new();
    for (v, &part) in parts.iter().enumerate() {
        if part == split.len() {
            split.push(Default::default());
        }
        let (graph_of_part, vertices) = &mut split[part];
        place[v] = vertices.len();
        vertices.push(v);
        graph_of_part.costs.push(graph.costs[v]);
    }
    for &(from, to) in &graph.edges {
        split[parts[from]].0.edges.push((place[from], place[to]));
    }
    graph.sources.iter().for_each(|&v| split[parts[v]].0.sources.push(place[v]));
    graph.sinks.iter().for_each(|&v| split[parts[v]].0.sinks.push(place[v]));

    let mut chosen = vec![false; graph.costs.len()];
    for (graph, vertices) in &split {
        for (&v, cut) in vertices.iter().zip(cut(graph)) {
            chosen[v] = cut;
        }
    }
    chosen
}

/// By vertex: the number of the part of the graph that it hangs together with. Parts are numbered by their first vertices.
fn parts(graph: &Graph) -> Vec<usize> {
    let mut near: Vec<Vec<usize>> = vec![Vec::new(); graph.costs.len()];
    for &(a, b) in &graph.edges {
        near[a].push(b);
        near[b].push(a);
    }
    let mut parts: Vec<Option<usize>> = vec![None; near.len()];
    let mut count = 0;
    for first in 0..near.len() {
        if parts[first].is_some() {
            continue;
        }
        let mut reached = vec![first];
        while let Some(v) = reached.pop() {
            if parts[v].replace(count).is_none() {
                reached.extend(&near[v]);
            }
        }
        count += 1;
    }
    parts.into_iter().flatten().collect()
}

/// The cut of a graph that hangs together. By vertex: whether it is chosen.
fn cut(graph: &Graph) -> Vec<bool> {
    let n = graph.costs.len();
    // Each vertex becomes two, joined by an arc of its cost.
    let (enter, leave) = (|v: usize| 2 * v, |v: usize| 2 * v + 1);
    let (start, end) = (2 * n, 2 * n + 1);
    let unbounded = graph.costs.iter().sum::<u64>() + 1;
    let mut arcs: Vec<Arc> = Vec::new();
    let mut out: Vec<Vec<usize>> = vec![Vec::new(); 2 * n + 2];
    let mut join = |from: usize, to: usize, capacity: u64| {
        out[from].push(arcs.len());
        arcs.push(Arc { to, residual: capacity });
        out[to].push(arcs.len());
        arcs.push(Arc { to: from, residual: 0 });
    };
    graph.costs.iter().enumerate().for_each(|(v, &cost)| join(enter(v), leave(v), cost));
    graph.edges.iter().for_each(|&(from, to)| join(leave(from), enter(to), unbounded));
    graph.sources.iter().for_each(|&v| join(start, enter(v), unbounded));
    graph.sinks.iter().for_each(|&v| join(leave(v), end, unbounded));

    while let Some(path) = shortest_path(&arcs, &out, start, end) {
        let amount = path.iter().map(|&arc| arcs[arc].residual).min().unwrap_or(0);
        for arc in path {
            arcs[arc].residual -= amount;
            arcs[arc ^ 1].residual += amount;
        }
    }

    // What can still reach the end lies on the sinks' side.
    let mut near_end = vec![false; 2 * n + 2];
    near_end[end] = true;
    let mut queue = VecDeque::from([end]);
    while let Some(node) = queue.pop_front() {
        for &arc in &out[node] {
            let from = arcs[arc].to;
            if arcs[arc ^ 1].residual > 0 && !std::mem::replace(&mut near_end[from], true) {
                queue.push_back(from);
            }
        }
    }
    (0..n).map(|v| near_end[leave(v)] && !near_end[enter(v)]).collect()
}

/// The arcs of a shortest path with room left.
fn shortest_path(arcs: &[Arc], out: &[Vec<usize>], start: usize, end: usize) -> Option<Vec<usize>> {
    let mut by: Vec<Option<usize>> = vec![None; out.len()];
    let mut queue = VecDeque::from([start]);
    while let Some(node) = queue.pop_front() {
        if node == end {
            let back = |&arc: &usize| by[arcs[arc ^ 1].to];
            return Some(std::iter::successors(by[end], back).collect());
        }
        for &arc in &out[node] {
            let to = arcs[arc].to;
            if arcs[arc].residual > 0 && by[to].is_none() && to != start {
                by[to] = Some(arc);
                queue.push_back(to);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(costs: &[u64], edges: &[(usize, usize)], sources: &[usize], sinks: &[usize], expect: &[usize]) {
        let graph = Graph {
            costs: costs.to_vec(),
            edges: edges.to_vec(),
            sources: sources.to_vec(),
            sinks: sinks.to_vec(),
        };
        let chosen: Vec<usize> =
            cheapest_cut(&graph).iter().enumerate().filter(|(_, c)| **c).map(|(v, _)| v).collect();
        assert_eq!(chosen, expect);
    }

    #[test]
    fn the_cheapest_set_nearest_to_the_sinks() {
        check(&[8], &[], &[0], &[0], &[0]);
        // Two results of one leaf: the leaf is cheaper.
        check(&[8, 8, 8], &[(0, 1), (0, 2)], &[0], &[1, 2], &[0]);
        // One result of two leaves.
        check(&[8, 8, 8], &[(0, 2), (1, 2)], &[0, 1], &[2], &[2]);
        // Equal costs: the result.
        check(&[8, 8], &[(0, 1)], &[0], &[1], &[1]);
        // The length of a string rather than the string, unless that is needed as well.
        check(&[264, 8], &[(0, 1)], &[0], &[1], &[1]);
        check(&[264, 8], &[(0, 1)], &[0], &[0, 1], &[0]);
        // A sink that no source reaches is recomputed.
        check(&[8, 8], &[(0, 1)], &[], &[1], &[]);
        // Four sums of two leaves, as a grid.
        let edges = [(0, 2), (1, 2), (0, 3), (1, 3), (0, 4), (1, 4)];
        check(&[8, 8, 8, 8, 8], &edges, &[0, 1], &[2, 3, 4], &[0, 1]);
        // Two parts whose vertices alternate: a leaf of two results, a result of two leaves; and one that nothing needs.
        let edges = [(0, 2), (0, 4), (1, 5), (3, 5)];
        check(&[8; 7], &edges, &[0, 1, 3, 6], &[2, 4, 5], &[0, 5]);
    }
}
